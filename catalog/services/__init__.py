"""Operations on depots, shared by admin, forms and commands. Each is one transaction.

`moderation`: verify, remove, restore, one depot or many. `journal`: records each decision, and undoes it with the
handlers of `undoing`. `editing`: edit and add
depots. `merging`: merge or mark as distinct. `publishing`: publish held, removed or merged depots with their related
rows. `drafting`: changes that need approval. `voivodeship_claims`: which editor works on which voivodeship. `refusal`:
what an operation raises that is refused. Accepted submissions make the same changes: `catalog.submissions`.
"""
