"""The web forms by which owners and readers change the catalog, with an editor in between.

`depot`, `claim` and `price` are the forms, `stranger` what they share, `fields` and `hours` how answers are read,
`abuse` what holds off machines. `views` leads a request until it counts; `pages` are the pages it passes.
"""
