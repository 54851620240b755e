"""How often the right municipality is the first hit, or among the first three, by kind of question."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from catalog.search.engine import Search
from tests.catalog.search.questions import Question

LIMIT = 8


@dataclass
class Hits:
    """Counts of one kind of question. missed: those of which the right municipality is not among the first three."""

    asked: int = 0
    first: int = 0
    three: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def at_1(self) -> float:
        """Share of questions whose first hit is right; of nonsense, those that find nothing."""
        return self.first / self.asked

    @property
    def at_3(self) -> float:
        """Share of questions with the right hit among the first three."""
        return self.three / self.asked


def count_hits(search: Search, questions: Iterable[Question]) -> dict[str, Hits]:
    """Return the counts by kind, and those of groups of kinds (what stands before the colon)."""
    table: dict[str, Hits] = defaultdict(Hits)
    for question in questions:
        numbers = search.find(question.text, LIMIT).numbers[:3]
        right = [search.index.teryt(number) in question.meant for number in numbers]
        if not question.meant:
            right = [not numbers]
        for kind in {question.kind, question.kind.partition(":")[0]}:
            hits = table[kind]
            hits.asked += 1
            hits.first += right[:1] == [True]
            hits.three += any(right)
            if not any(right):
                hits.missed.append(question.text)
    return dict(sorted(table.items()))
