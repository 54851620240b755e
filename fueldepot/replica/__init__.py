"""Reading from a streaming replica of PostgreSQL, where `DATABASE_REPLICA_URL` names one.

`middleware` chooses for every request, `router` and `catalog.databases` carry the choice to the queries, `watch` knows
whether the replica may be read, by the rule of `lag`; `pinning` lets people see what they have just changed.
"""
