"""Suggestions for what somebody types: units, places, postcodes."""

from typing import Any, NamedTuple

from catalog import databases, versions
from catalog.models import Dataset
from catalog.typed import postcode_pattern, search_key

MAX_SUGGESTIONS = 8


class Suggestion(NamedTuple):
    """One suggestion of `/locations`. fold: for a postcode its five digits."""

    kind: str
    label: str
    fold: str
    description: str
    teryt: str
    slug: str
    voivodeship_slug: str


RESTS_ON = (Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES)

SUGGESTION_COLUMNS = f"e.kind, e.label, e.fold, e.description, m.teryt, m.slug, v.slug, {versions.stamp_sql(*RESTS_ON)}"

FIND_SHORT = f"""
    SELECT {SUGGESTION_COLUMNS}
    FROM catalog_shortfragment f
    CROSS JOIN LATERAL unnest(f.ranks) WITH ORDINALITY AS hit(rank, place)
    JOIN catalog_searchentry e ON e.rank = hit.rank
    JOIN catalog_municipality m ON m.teryt = e.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
    WHERE f.text = %s
    ORDER BY hit.place
"""  # noqa: S608 - constants only

# The trigram index is asked only when fewer than eight names begin with the text. A range instead of LIKE for these, so
# that the index serves a prepared statement too: "{" follows "z". Texts stand in SELECTs of their own, so that the
# planner cannot look at them: it would find plans for each cheaper than one for all, and plan at every call, which
# takes four times as long as answering.
FIND_FRAGMENT = f"""
    SELECT {SUGGESTION_COLUMNS}
    FROM (
        (
            SELECT rank, CASE WHEN fold = (SELECT %(exact)s::text) THEN 0 ELSE 1 END AS class
            FROM catalog_searchentry
            WHERE fold >= (SELECT %(exact)s::text) AND fold < (SELECT %(after)s::text)
            ORDER BY class, rank
            LIMIT {MAX_SUGGESTIONS}
        )
        UNION ALL
        (
            SELECT rank, CASE WHEN fold LIKE (SELECT %(word)s::text) THEN 2 ELSE 3 END AS class
            FROM catalog_searchentry
            WHERE fold LIKE (SELECT %(inside)s::text)
                AND NOT (fold >= (SELECT %(exact)s::text) AND fold < (SELECT %(after)s::text))
            ORDER BY class, rank
            LIMIT {MAX_SUGGESTIONS}
        )
        LIMIT {MAX_SUGGESTIONS}
    ) hit
    JOIN catalog_searchentry e ON e.rank = hit.rank
    JOIN catalog_municipality m ON m.teryt = e.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
    ORDER BY hit.class, hit.rank
"""  # noqa: S608 - constants only

# A pattern with a blank for each digit that is not known. Where the first digits are known they are a range of the
# index; where they are not, which is rare, every postcode may be read.
FIND_POSTCODES = {
    known: f"""
        SELECT {SUGGESTION_COLUMNS}
        FROM catalog_searchentry e
        JOIN catalog_municipality m ON m.teryt = e.municipality_id
        JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
        WHERE e.kind = 'postcode' AND e.fold LIKE %(pattern)s {beginning}
        ORDER BY e.rank
        LIMIT {MAX_SUGGESTIONS}
    """  # noqa: S608 - constants only
    for known, beginning in {False: "", True: "AND e.fold >= %(first)s AND e.fold < %(after)s"}.items()
}


def suggest_locations(text: str) -> list[Suggestion]:
    """At most eight municipalities, localities and postcodes for a text, the best first.

    Exact names before prefixes, before beginnings of a later word, before fragments inside a word; within each the
    order of importance of `catalog.search`. One query.
    """
    pattern = postcode_pattern(text)
    if pattern:
        digits = pattern.partition("_")[0].rstrip("%")
        # ":" follows "9".
        asked = {"pattern": pattern, "first": digits, "after": f"{digits}:"}
        return _suggestions(FIND_POSTCODES[digits != ""], asked)
    key = search_key(text)
    if not key:
        return []
    if len(key) <= 3:
        return _suggestions(FIND_SHORT, [key])
    return _suggestions(FIND_FRAGMENT, {"exact": key, "after": f"{key}{{", "word": f"% {key}%", "inside": f"%{key}%"})


def _suggestions(statement: str, parameters: Any) -> list[Suggestion]:
    with databases.connection().cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    if rows:
        versions.answered_of(rows[0][-1], *RESTS_ON)
    return [Suggestion._make(row[:-1]) for row in rows]
