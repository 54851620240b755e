"""Submissions of readers and owners: sent by a form, confirmed by e-mail, decided by an editor, erased in time.

Services: `intake` (until a submission counts), `questions` (to its author), `decisions`, `notifications`, `retention`,
`owner_links`. Their parts: `field_groups` (the values of a submission), `limits` (how many are accepted), `tokens`
(hashes and links), `emails` (texts of the letters), `claims` (hints on the author of a claim).

Each service is one transaction; `locking` defines the order of its locks. Letters are sent on commit. A letter that
could not be sent undoes nothing, and stays pending.
"""
