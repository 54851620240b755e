"""Operations on depots, shared by admin, forms and commands. Each is one transaction.

`moderation`: verify, remove, restore. `publishing`: publish, and offers. `editing`: edit, add, drafts. `merging`: merge
or mark as distinct. `journal`: records each decision, and undoes it with the handlers of `undoing`. `coordination`: who
works on what. `refusal`: what an operation raises that is refused. `second_factor`: of the login. Accepted submissions
make the same changes: `catalog.submissions`.
"""
