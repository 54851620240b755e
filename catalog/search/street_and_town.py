"""Which words name a town: "Krupówki Zakopane", "Leśna Radom"; which places are near one: "Słomin k. Warszawy"."""

from collections.abc import Sequence

from catalog.search import query
from catalog.search.index import SearchIndex
from catalog.search.vocabulary import MUNICIPALITY_WORDS, SCOPES, SQUARE, InflectedNames
from catalog.territory.coordinates import distance_m
from catalog.text import fold

Numbers = tuple[int, ...]

NEAR_M = 50_000
"""Most metres between a place and the town that it is said to be near."""

BESIDE_M = 20_000
"""Most metres between a place and the town that is named beside it."""

PART = "część"
"""Beginning of the description of a part of a village or town."""

DISTRICTS = ("dzielnica", "delegatura")
"""Beginnings of the descriptions of the districts of Warszawa, Kraków, Łódź, Poznań and Wrocław."""

WELL_KNOWN = 2
"""Rank of one of the largest municipalities."""


class Towns:
    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        folds = [(index.fold(number), index.urban[number]) for number in range(index.municipalities)]
        self._inflected = InflectedNames(name for name, is_urban in folds if is_urban)
        # "Rabka" is said for Rabka-Zdrój.
        self._inflected_short = InflectedNames(name.partition(" ")[0] for name, is_urban in folds if is_urban)
        self._inflected_rural = InflectedNames(name for name, is_urban in folds if not is_urban)
        self._inflected_districts = InflectedNames(map(self._district, index.described(*DISTRICTS)))

    def inflected(self, words: Sequence[str], *, spoken: bool = False) -> str | None:
        """Return the name of a town from a case of it.

        After a preposition (spoken) also the first word of a town's name, or that of a rural municipality, or of a
        district of the largest cities.
        """
        after = (self._inflected_short, self._inflected_rural, self._inflected_districts) if spoken else ()
        return next(filter(None, (of_kind.find(words, spoken=spoken) for of_kind in (self._inflected, *after))), None)

    def named(self, name: str) -> tuple[Numbers, int]:
        """Return the municipalities of a name, and its rank: `WELL_KNOWN`, 1 for a town's, 0 for another."""
        named = self.index.named(query.normalize_query(name))
        numbers = tuple(number for number in named if number < self.index.municipalities)
        if not numbers:
            return (), 0
        return numbers, WELL_KNOWN if self.index.largest[numbers[0]] else int(self.index.urban[[*numbers]].any())

    def called(self, name: str) -> Numbers:
        """Return the municipalities of a name, else those that it begins: "Sucha" is said for Sucha Beskidzka."""
        begun = self.index.find(f"{query.normalize_query(name)} ", limit=self.index.municipalities)
        return self.named(name)[0] or tuple(number for number in begun if number < self.index.municipalities)

    def places_near(self, text: str) -> Numbers:
        """Return the places of a name near a town, nearest first; () without both names.

        text: plain, without fuels. A word may say that they are near ("slomin k. warszawy"); two names beside each
        other ("mystkow, nowy sacz") mean the same if they are, as few streets have the name of a village nearby. Parts
        of villages have it often ("rynek, bochnia"), and a number behind the town is that of a house in it ("bochnia,
        zagorze 5"). A word for a municipality says that the place is in it: "laki, gm. grodzisk mazowiecki".
        """
        key = query.normalize_query(text)
        if " " not in key or query.split_postcode(text) or self.index.named(key):
            return ()
        if nearby := query.split_nearby(text):
            place, town = nearby
            towns = self.called(self.inflected(fold(town).split(), spoken=True) or town)
            return self._near(place, towns, is_said=True)
        segments, words = query.split_segments(text), key.split()
        if not MUNICIPALITY_WORDS.isdisjoint(words):
            return ()
        if len(segments) == 1:
            parts = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        else:
            parts = [(segments[0], segments[1])] if len(segments) == 2 else []
        streets = {behind for _, behind in parts if any(map(query.is_number, behind.split()))}
        for place, town in (*parts, *((behind, front) for front, behind in parts if behind not in streets)):
            towns, rank = self.named(town)
            near = self._near(place, towns, is_said=False) if rank else ()
            near = tuple(number for number in near if not self.index.description(number).startswith(PART))
            # A well-known town is meant, unless it is far away: "Ujazd, Bochnia" is a village.
            if near and not self.index.largest[min(near) :][:1].any():
                return near
        return ()

    def _near(self, place: str, towns: Numbers, *, is_said: bool) -> Numbers:
        """Return the places of a name near one of the towns, nearest first. is_said: whether a word says so."""
        words, _ = query.spoken_name(place)
        name = query.normalize_query(" ".join(word for word in words if not query.is_number(word)))
        named = dict.fromkeys((*self.index.named(name), *(self.called(name) if is_said else ())))
        points = [point for number in towns if (point := self.index.point(number))]
        distances = {
            number: min(distance_m(*point, *other) for other in points)
            for number in (() if name == SQUARE else named)
            if points and (point := self.index.point(number))
        }
        near = (number for number in distances if distances[number] <= (NEAR_M if is_said else BESIDE_M))
        return tuple(sorted(near, key=distances.__getitem__))

    def split_street(self, words: list[str]) -> list[str]:
        """Divide folded words before the name of one of the largest municipalities at their end; [] without one.

        A word for a county or voivodeship says that the name is not a town's.
        """
        if not SCOPES.keys().isdisjoint(words):
            return []
        divided = ([" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words)))
        return next((parts for parts in divided if self.named(parts[-1])[1] == WELL_KNOWN), [])

    def in_address(self, text: str) -> str | None:
        """Return the town that the first words name, as in "zakopane krupowki", or else the last; None without one.

        The first words are a street if they are a case of a town's name without a preposition ("Różana Skoki"), or
        before one of the largest towns ("Leśna Radom"), unless they are the name of a town as in `is_town`. Words that
        name no place may stand on both sides of the town.
        """
        words, spoken = query.spoken_name(text)
        sizes = range(len(words), 0, -1)
        first = next(filter(None, (self._spoken(words[:size], spoken=spoken) for size in sizes)), None)
        ends = (words[-size:] for size in sizes if words[-size - 1 : -size] != ["nad"])  # Wisła is a town, too.
        last = next(filter(None, (self._spoken(end, spoken=spoken) for end in ends)), None)
        if len(words) > 2 and not first and not last and not any(map(self.index.named, (words[0], words[-1]))):
            return self.in_address(" ".join(words[1:-1]))
        if not first or not last:
            return first or last
        typed, (front, _), (behind, rank) = " ".join(words), self.named(first), self.named(last)
        is_case = not typed.startswith(f"{first} ")
        is_street = (is_case and not spoken) or (rank == WELL_KNOWN and (is_case or not self.is_town(front, behind)))
        return last if is_street and typed.endswith(f" {last}") else first

    def is_town(self, front: Numbers, behind: Numbers) -> bool:
        """Whether a name before a town's is no street: of one of the largest, or of a town in the same voivodeship."""
        voivodeships = {self.index.teryt(number)[:2] for number in behind}
        return any(
            self.index.largest[number] or (self.index.urban[number] and self.index.teryt(number)[:2] in voivodeships)
            for number in front
        )

    def contains(self, town: Numbers, number: int) -> bool:
        """Whether an entry is in one of the municipalities of a name, or named after it: "Stary Zamość"."""
        name, places = self.index.fold(town[0]), {self.index.teryt(place) for place in town}
        return self.index.teryt(number) in places or self.index.fold(number).endswith(f" {name}")

    def _district(self, number: int) -> str:
        """Return the name of a district without that of its city: "krakow nowa huta" is Nowa Huta."""
        return self.index.fold(number).removeprefix(f"{fold(self.index.units[self.index.teryt(number)].name)} ")

    def _spoken(self, words: list[str], *, spoken: bool) -> str | None:
        """Return the name of a town from its words in any case; None without one. spoken: see `inflected`."""
        name = " ".join(words)
        return name if self.named(name)[1] else self.inflected(words, spoken=spoken)
