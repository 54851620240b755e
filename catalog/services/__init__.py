"""Operations on depots, shared by admin, forms and commands. Each is one transaction.

`moderation`: verify, remove, restore, one depot or many. `journal`: records each decision, and undoes it with the
handlers of `undoing`. `editing`: edit and add depots. `merging`: merge or mark as distinct. `publishing`: publish held,
removed or merged depots with their related rows. `drafting`: changes that need approval. `coordination`: who works on
which voivodeship, and who has a depot open. `refusal`: what an operation raises that is refused. Accepted submissions
make the same changes: `catalog.submissions`.
"""
