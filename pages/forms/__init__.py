"""Public forms of owners and readers; editors decide on their submissions.

`depot`, `price`, `owner`: the forms, on `public_form`, of the fields of `fields`. `spam`: protection against bots.
`views`: the steps of a submission. `pages`: their page objects.
"""
