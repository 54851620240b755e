"""Public forms of owners and readers; editors decide on their submissions.

`depot`, `claim`, `price`, `owner`: the forms, on `public_form`. `fields`, `hours_fields`: form fields. `spam`:
protection against bots. `views`, `owner_views`, `answer`: the steps of a submission. `pages`: their page objects.
"""
