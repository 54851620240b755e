"""Public forms of owners and readers; editors decide on their submissions.

`depot`: the forms about one, on `base_and_prices`, of the fields of `fields`. `owner`, `alerts`: forms with their
views. `views`: the steps of a submission. `pages`: what their templates show.
"""
