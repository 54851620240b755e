"""Questions as people type them, with the municipalities that answer each, made of a register, and how often they hit.

No name is stored here: names are read from the register that is searched, and the errors in them are drawn.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from catalog.models import Municipality
from catalog.search.engine import Search
from catalog.text import fold, plain

SEED = 20261122

NEIGHBOURS = {
    key: row[place - 1 : place] + row[place + 1 : place + 2]
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for place, key in enumerate(row)
}
"""The keys beside each letter on a Polish keyboard (QWERTY)."""

MARKED = {"a": "ą", "c": "ć", "e": "ę", "l": "ł", "n": "ń", "o": "ó", "s": "ś", "z": "ż"}

SHORTENED = {
    **dict.fromkeys(("Wielkopolski", "Wielkopolskie"), "wlkp."),
    **dict.fromkeys(("Mazowiecki", "Mazowieckie"), "maz."),
    **dict.fromkeys(("Śląski", "Śląskie"), "śl."),
    **dict.fromkeys(("Nowy", "Nowa", "Nowe"), "n."),
    **dict.fromkeys(("Stary", "Stara", "Stare"), "st."),
    "Wielkopolska": "wlkp",
    "Mazowiecka": "maz",
    "Śląska": "sl",
    "Lubelski": "lub.",
    "Lubelska": "lub",
    "Podlaski": "podl.",
    "Podlaska": "podl",
    "Kujawski": "kuj.",
    "Pomorski": "pom.",
    "Opolskie": "op.",
    "Trybunalski": "tryb.",
    "Świętokrzyski": "św.",
    "Łódzki": "łódz.",
    "Górnicza": "g.",
}

COMMON = {*["nowy", "nowa", "nowe", "stary", "stara", "stare", "dolny", "gorny", "wielka", "biala", "biale"]}
"""First words that many towns have."""

CITIES = ("1465011", "1261011", "1061011", "3064011", "0264011")

STREETS = ("Krupówki 3", "ul. Długa 5", "ul. 3 Maja 12a", "Lipowa 7/2", "os. Słoneczne 4")

FUELS = ("pellet", "węgiel", "ekogroszek", "drewno kominkowe", "miał")


Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Question:
    """kind: of question. text: as typed. meant: codes of the municipalities that answer it; none for nonsense."""

    kind: str
    text: str
    meant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Named:
    """A locality. kind: as the register says it. teryt: its municipality."""

    name: str
    kind: str
    teryt: str


def make_questions(
    municipalities: Sequence[Municipality],
    localities: Sequence[Named],
    postcodes: Sequence[tuple[str, str, str]],
    each: int = 120,
) -> list[Question]:
    """Return about `each` questions of every kind.

    municipalities: with county and voivodeship. postcodes: code, place and municipality.
    """
    return list(dict.fromkeys(_Maker(municipalities, localities, postcodes, each).make()))


def halves(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """Return the half to tune on and the half to judge by."""
    shuffled = list(questions)
    random.Random(SEED).shuffle(shuffled)  # noqa: S311 - the same in every run
    middle = len(shuffled) // 2
    return shuffled[:middle], shuffled[middle:]


class _Maker:
    def __init__(
        self,
        municipalities: Sequence[Municipality],
        localities: Sequence[Named],
        postcodes: Sequence[tuple[str, str, str]],
        each: int,
    ) -> None:
        self.municipalities, self.localities, self.postcodes, self.each = municipalities, localities, postcodes, each
        self.random = random.Random(SEED)  # noqa: S311 - the same in every run
        self.named: dict[str, list[Municipality]] = defaultdict(list)
        self.folded: dict[str, list[str]] = defaultdict(list)
        for unit in municipalities:
            self.named[unit.name.casefold()].append(unit)
            self.folded[fold(unit.name)].append(unit.teryt)
        self.by_code = {unit.teryt: unit for unit in municipalities}
        self.villages = [place for place in localities if place.kind == "wieś" and fold(place.name)]
        self.homonyms: dict[str, list[str]] = defaultdict(list)
        for place in localities:
            self.homonyms[fold(place.name)].append(place.teryt)
        for unit in municipalities:
            self.homonyms[fold(unit.name)].append(unit.teryt)

    def make(self) -> Iterator[Question]:
        for unit in self.municipalities:
            yield self.question("clean", unit.name, self.same_name(unit))
        for group, spoilers, right in (("error", ERRORS, self.same_name), ("diacritics", MARKS, self.same_fold)):
            for kind, spoil in spoilers.items():
                for unit in self.some(self.municipalities):
                    if spoilt := self.spoilt(unit.name, spoil):
                        yield self.question(f"{group}: {kind}", spoilt, right(unit))
        yield from self.contexts()
        yield from self.villages_with_context()
        yield from self.short_forms()
        yield from self.districts()
        yield from self.units_in_words()
        yield from self.postcodes_with_places()
        yield from self.with_more()
        yield from self.nonsense()

    def some(self, things: Sequence[Thing], count: int | None = None) -> list[Thing]:
        return self.random.sample(things, min(count or self.each, len(things)))

    def question(self, kind: str, text: str, meant: Iterable[str]) -> Question:
        return Question(kind, text, frozenset(meant))

    def same_name(self, unit: Municipality) -> list[str]:
        return [other.teryt for other in self.named[unit.name.casefold()]]

    def same_fold(self, unit: Municipality) -> list[str]:
        return self.folded[fold(unit.name)]

    def within(self, name: str, prefix: str) -> list[str]:
        return [code for code in self.homonyms[fold(name)] if code.startswith(prefix)]

    def spoilt(self, name: str, spoil: Callable[[str, random.Random], str]) -> str | None:
        """A name with an error that makes no other municipality's name of it."""
        if len(name) < 4:
            return None
        for _ in range(20):
            text = spoil(name.lower(), self.random)
            if text != name.lower() and text.casefold() not in self.named:
                return text
        return None

    def contexts(self) -> Iterator[Question]:
        forms: tuple[str, ...] = (
            *("{name}, {voivodeship}", "{name} {voivodeship}", "{name} ({voivodeship})", "{name} woj. {voivodeship}"),
            *("{voivodeship} {name}", "województwo {voivodeship} {name}", "{name} województwo {voivodeship}"),
        )
        for unit in self.some(self.municipalities, 2 * self.each):
            yield self.question("context: voivodeship", self.said(forms, unit), self.within_named(unit, unit.teryt[:2]))
        forms = (
            *("{name}, powiat {county}", "{name} pow. {county}", "{name} {county}", "{name} (powiat {county})"),
            *("powiat {county}, {name}", "{name}, pow. {county}, woj. {voivodeship}", "gm. {name}, pow. {county}"),
        )
        units = [unit for unit in self.municipalities if unit.county.title.startswith("powiat")]
        for unit in self.some(units, 2 * self.each):
            yield self.question("context: county", self.said(forms, unit), self.within_named(unit, unit.teryt[:4]))

    def said(self, forms: Sequence[str], unit: Municipality) -> str:
        """A municipality in one of the forms."""
        around = {"county": unit.county.name, "voivodeship": unit.voivodeship.name}
        return self.typed(self.random.choice(forms).format(name=unit.name, **around))

    def within_named(self, unit: Municipality, prefix: str) -> list[str]:
        return [code for code in self.same_fold(unit) if code.startswith(prefix)]

    def typed(self, text: str) -> str:
        """Text as it is, in small letters, or without diacritics as well."""
        return self.random.choice((text, text.lower(), plain(text)))

    def villages_with_context(self) -> Iterator[Question]:
        forms = (
            *(("{name}, {unit}", 7), ("{name} {unit}", 7), ("{name} gm. {unit}", 7), ("{name} gmina {unit}", 7)),
            *(("{name} ({unit})", 7), ("{unit} {name}", 7), ("{name} pow. {county}", 4)),
            *(("{name}, powiat {county}", 4), ("{name} {county}", 4), ("wieś {name}, gmina {unit}", 7)),
            ("{name}, gm. {unit}, woj. {voivodeship}", 7),
        )
        for place in self.some(self.villages, 4 * self.each):
            unit = self.by_code[place.teryt]
            form, length = self.random.choice(forms)
            if length == 4 and not unit.county.title.startswith("powiat"):
                continue
            around = {"unit": unit.name, "county": unit.county.name, "voivodeship": unit.voivodeship.name}
            # The town and the rural municipality of one name are one name to whoever types it.
            twins = self.same_name(unit) if length == 7 else [unit.teryt]
            meant = {code for twin in twins for code in self.within(place.name, twin[:length])}
            yield self.question("village with context", self.typed(form.format(name=place.name, **around)), meant)

    def short_forms(self) -> Iterator[Question]:
        for unit in self.municipalities:
            words = unit.name.split()
            short = " ".join(SHORTENED.get(word, word) for word in words)
            if short != unit.name and len(words) > 1:
                yield self.question("short: abbreviated", self.typed(short), self.same_name(unit))
        several = [unit for unit in self.municipalities if len(fold(unit.name).split()) > 1]
        for unit in self.some(several):
            yield self.question("short: joined", fold(unit.name).replace(" ", ""), self.same_fold(unit))
        for unit in self.some(several):
            first, *rest = fold(unit.name).split()
            text = " ".join((first[:4], *(word[:4] for word in rest)))
            yield self.question("short: beginnings", text, self.same_fold(unit))
        for unit in several:
            first = fold(unit.name).split()[0]
            if unit.kind == Municipality.Kind.TOWN and first not in COMMON:
                meant = [other.teryt for other in self.municipalities if fold(other.name).split()[0] == first]
                yield self.question("short: first word", first, meant)

    def districts(self) -> Iterator[Question]:
        for place in self.localities:
            if place.kind not in {"dzielnica", "delegatura"} or place.teryt not in CITIES:
                continue
            city = self.by_code[place.teryt].name
            name = place.name.removeprefix(f"{city}-")
            for form in ("{city} {name}", "{name} {city}", "{city}, {name}", "{city}-{name}"):
                text = self.typed(form.format(city=city, name=name))
                yield self.question("district", text, [place.teryt])

    def units_in_words(self) -> Iterator[Question]:
        forms = {
            1: ("miasto {}", "m. {}", "gmina miejska {}"),
            2: ("gmina {}", "gm. {}", "gmina wiejska {}", "{} gmina wiejska"),
            3: ("gmina {}", "gm. {}", "gmina miejsko-wiejska {}", "miasto i gmina {}", "{} gmina"),
        }
        for unit in self.some(self.municipalities, 2 * self.each):
            form = self.random.choice(forms[unit.kind])
            named = self.same_fold(unit)
            meant = [code for code in named if code[6] == unit.teryt[6]] if "iejska" in form else named
            yield self.question("unit in words: municipality", self.typed(form.format(unit.name)), meant)
        counties = {unit.county.name: unit for unit in self.municipalities if unit.county.title.startswith("powiat")}
        for name in self.some(sorted(counties)):
            form = self.random.choice(("powiat {}", "pow. {}", "{} powiat"))
            meant = [unit.teryt for unit in self.municipalities if unit.county.name == name]
            yield self.question("unit in words: county", self.typed(form.format(name)), meant)
        for code in sorted({unit.teryt[:2] for unit in self.municipalities}):
            meant = [unit.teryt for unit in self.municipalities if unit.teryt.startswith(code)]
            name = self.by_code[meant[0]].voivodeship.name
            for form in ("województwo {}", "woj. {}"):
                yield self.question("unit in words: voivodeship", self.typed(form.format(name)), meant)

    def postcodes_with_places(self) -> Iterator[Question]:
        for code, place, teryt in self.some(self.postcodes, 2 * self.each):
            form = self.random.choice(("{code} {place}", "{place} {code}", "{code}, {place}", "{place}, {code}"))
            written = self.random.choice((code, code, code.replace("-", ""), code.replace("-", " ")))
            yield self.question("postcode with place", self.typed(form.format(code=written, place=place)), [teryt])

    def with_more(self) -> Iterator[Question]:
        for kind, more, forms in (
            ("address", STREETS, ("{name}, {more}", "{more}, {name}", "{name} {more}")),
            ("fuel", FUELS, ("{more} {name}", "{name} {more}", "{more} w {name}")),
        ):
            for unit in self.some(self.municipalities):
                word = self.random.choice(more)
                text = self.random.choice(forms).format(name=unit.name, more=word)
                yield self.question(kind, self.typed(text), self.same_fold(unit))

    def nonsense(self) -> Iterator[Question]:
        for text in ("xqzv", "asdfgh", "qwerty", "zzzz", "hjkl", "xxxxxx", "qqqq", "vbnmvbnm", "wxwxwx", "fghfgh"):
            yield self.question("nonsense", text, [])
        for _ in range(self.each // 2):
            text = "".join(self.random.choice("bcdfghjklmnpqrstvwxz") for _ in range(self.random.randint(6, 10)))
            yield self.question("nonsense", text, [])


def neighbour(text: str, chance: random.Random) -> str:
    """One letter is the key beside it."""
    place = chance.choice([place for place, letter in enumerate(text) if plain(letter) in NEIGHBOURS])
    return text[:place] + chance.choice(NEIGHBOURS[plain(text[place])]) + text[place + 1 :]


def swapped(text: str, chance: random.Random) -> str:
    """Two letters change places."""
    place = chance.randrange(len(text) - 1)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def missing(text: str, chance: random.Random) -> str:
    """One letter is left out, not the last: that would be a beginning."""
    place = chance.randrange(len(text) - 1)
    return text[:place] + text[place + 1 :]


def doubled(text: str, chance: random.Random) -> str:
    """One letter stands twice."""
    place = chance.choice([place for place, letter in enumerate(text) if letter.isalpha()])
    return text[:place] + text[place] + text[place:]


def without_marks(text: str, chance: random.Random) -> str:
    """No diacritics at all."""
    return plain(text)


def wrong_marks(text: str, chance: random.Random) -> str:
    """One letter has a mark that it should not have, or the wrong one."""
    places = [place for place, letter in enumerate(text) if letter in MARKED or plain(letter) != letter]
    if not places:
        return text
    place = chance.choice(places)
    letter = text[place]
    other = MARKED.get(letter) or {"ż": "ź", "ź": "ż"}.get(letter) or plain(letter)
    return text[:place] + other + text[place + 1 :]


ERRORS = {"neighbour": neighbour, "swapped": swapped, "missing": missing, "doubled": doubled}
MARKS = {"missing": without_marks, "wrong": wrong_marks}


LIMIT = 8


@dataclass
class Hits:
    """Counts of one kind of question. missed: questions whose right municipality is not among the first three."""

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
