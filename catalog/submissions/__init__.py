"""Submissions of readers and owners: sent by a form, confirmed by e-mail, decided by an editor, erased in time.

Services: `intake` (until a submission counts), `questions` (to its author), `decisions`, `objections` (of the present
owner to a claim), `retention`, `owner_links`, `gone_reports_and_subscriptions`. Their parts: `field_groups` (the values
of a submission), `limits` (how many are accepted, and the order of locks), `tokens` (hashes and links), `letters`,
`letter_kinds`, `letter_texts`.

Each service is one transaction. Letters leave after the commit. A letter that could not be sent undoes nothing, and
stays pending.
"""
