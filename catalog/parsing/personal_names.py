"""Detection of names that are only a private person's, not a business's.

Only companies are published. A sole trader has a name too, so the question is whether the name contains anything
besides the person; if not, an editor reviews it first.
"""

import re
from functools import lru_cache
from pathlib import Path

from catalog.text import fold

GIVEN_NAMES = Path(__file__).parent / "given_names.txt"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Folded words that are rarely surnames; Orzech, Kostka, Groszek and Rolnik are surnames and left out. Whole words,
# because surnames begin like them: Opaliński, Węglarz, Drewniak, Paliwoda, Gazda, Budzyński.
_BUSINESS = _words(
    """
    agro auto bar bazar bis biuro bud budowa centrum dom drew eko eksport energia energy export firma fuel
    fh fhu fp fpu fu fup gaz gmina gs gielda gospodarstwo group grupa handel handlowa handlowe handlowy hurt hurtownia
    hurtowa import inc invest kopalnia kwb kwk ltd magazyn market max mix oddzial partner plac plus pol polska
    phu php phpu ph pht ppu pphu pph pp pt ptu pu puh pw pwh pzgs sa sc sklad skladnica sklep sklepik spj spk
    sp spolka spzoo stacja syn synowie corka bracia rodzina tartak tartaczny trade trans uslugi wydobycie zaklad
    zaklady zbyt zoo zpu zph zphu zu zuh
    opal opalu opaly opalowa opalowe opalowy opalem wegiel wegla weglem wegle weglowy weglowa weglowe
    coal biomasa briquette brykiet brykiety drewno drewna drewnem drzewo drzewny drzewna ekogroszek groszku
    koks koksu mial mialu olej paliwa paliwo pellet pellets pelet peletu pelletu pellety wood zrebka
    zrebki kominkowe kominki kominkowy nawozy pasze materialy budowlane ogrodnicze ciepla cieplo cieplownia
    """
)
# Stems that no surname has.
_BUSINESS_STEMS = (
    "brykiet",
    "budowlan",
    "cieplown",
    "ekogrosz",
    "hurtown",
    "opalow",
    "pellet",
    "produkc",
    "przedsieb",
    "spoldziel",
    "sprzeda",
    "transport",
    "uslug",
)

# Larger towns, folded: "Barbara Kraków" is a shop called Barbara. Towns that are also surnames or given names (Piła,
# Ruda, Jarosław) are left out: holding back a shop does less harm than publishing a person.
_TOWNS = _words(
    """
    bedzin belchatow bialogard bialystok bielawa bielsko bochnia boleslawiec brodnica brzeg bydgoszcz bytom chelm
    chojnice chorzow chrzanow ciechanow cieszyn czestochowa deblin debica elblag elk garwolin gdansk gdynia gizycko
    gliwice glogow gniezno gorlice gorzow grudziadz inowroclaw jaslo jastrzebie jaworzno kalisz katowice
    ketrzyn kielce klodzko kolobrzeg konin koszalin krakow krasnik krosno krotoszyn kutno kwidzyn lask lebork
    legionowo legnica leszno lezajsk limanowa lodz lomza lowicz lubartow lubin lublin lukow malbork mielec mikolow
    minsk mlawa myslowice myszkow nysa olawa olesnica olkusz olsztyn opoczno opole ostroda ostroleka ostrowiec
    oswiecim otwock pabianice piaseczno piotrkow plock plonsk polkowice poznan prudnik pruszkow przemysl pszczyna
    pulawy pultusk raciborz radom radomsko rawicz rumia rybnik rzeszow sandomierz sanok siedlce sieradz
    skierniewice slupsk sochaczew sopot sosnowiec starachowice stargard suwalki swarzedz swidnica swidnik swiebodzin
    swiecie swinoujscie szczecin szczecinek szczytno tarnobrzeg tarnow tczew torun tychy walbrzych warszawa wejherowo
    wieliczka wielun wloclawek wolomin wroclaw wrzesnia zabrze zakopane zambrow zamosc zawiercie zgierz zgorzelec
    zywiec zyrardow
    """
)

_TITLES = frozenset({"dr", "inz", "mgr", "pan", "pani", "panstwo"})
_CONNECTORS = frozenset({"i", "oraz"})
# Jan Paweł II owns no depot.
_ROMAN = re.compile(r"[ivx]+")

# Endings of surnames that are recognised without a given name, as in "J. Kowalski".
_SURNAME_ENDINGS = (
    *("ski", "ska", "scy", "cki", "cka", "ccy", "dzki", "dzka", "dzcy"),
    *("wicz", "czyk", "arz", "ak", "ek", "ik", "uk", "ec"),
)
# Frequent surnames without such an ending, folded.
_SURNAMES = _words(
    """
    baran bak chmiel cichy czarny duda gil gorka jaros kania kot koziol krol krupa kula lis mazur mucha pajak pluta
    ptak sikora skiba socha sowa stepien szulc wilk wrobel wrona zajac zaremba zawada zieba
    """
)

# Letters with inner dashes or apostrophes, or initials such as "J." and "J.M.".
_WORD = re.compile(r"[^\W\d_]+(?:['’‐‑-][^\W\d_]+)*\.?|(?:[^\W\d_]\.)+")


def is_personal_name(name: str) -> bool:
    """Whether a name is only a person's given names and surname, in either order, perhaps after "Pan" or "Pani".

    Also True for initials with a recognisable surname ("J. Kowalski") and for several persons joined by "i", "&" or a
    comma. False if it contains a trade word, a fuel or a larger town, and for a surname alone.
    """
    text = re.sub(r"[\s,&+/]+", lambda run: " i " if run[0].strip() else " ", name).strip(" .'\"„”“«»")
    words = text.split()
    if not all(_WORD.fullmatch(word) for word in words):
        return False
    while words and fold(words[0]) in _TITLES:
        words = words[1:]
    groups: list[list[str]] = [[]]
    for word in words:
        if fold(word) in _CONNECTORS:
            groups.append([])
        else:
            groups[-1].append(word)
    # "Jan i Anna Kowalscy" and "Kowalski, Jan" are persons as a whole, "Jan Kowalski i Adam Nowak" one by one.
    whole = [word for group in groups for word in group]
    return _is_person(whole) or all(_is_person(group) for group in groups)


def _is_person(words: list[str]) -> bool:
    if any(is_business_word(word) for word in words):
        return False
    initials = [word for word in words if _is_initial(word)]
    # P.H. and F.H. are abbreviations of businesses, however spaced.
    if fold("".join(initials)).replace(" ", "") in _BUSINESS:
        return False
    rest = [word for word in words if not _is_initial(word)]
    given = [word for word in rest if fold(word) in given_names()]
    others = [word for word in rest if fold(word) not in given_names()]
    if len(others) > 1 or not rest:
        return False
    if not given:
        return bool(initials) and _looks_like_surname(others[0])
    if others:
        return _ROMAN.fullmatch(fold(others[0])) is None
    # Of two given names one is the surname (Adam Filip), or an initial stands for it (Jan K.).
    return len(given) + len(initials) > 1


def is_business_word(word: str) -> bool:
    parts = fold(word).split()
    joined = "".join(parts)
    if joined in _BUSINESS:
        return True
    # A place or trade word in any part of a compound: "Eko-Opał", "Jan-Bud", "Bielsko-Biała".
    return any(part in _TOWNS or part in _BUSINESS or part.startswith(_BUSINESS_STEMS) for part in parts)


def _is_initial(word: str) -> bool:
    return all(len(part) == 1 for part in fold(word).split())


def _looks_like_surname(word: str) -> bool:
    last = fold(word).split()[-1]
    return last in _SURNAMES or (len(last) > 3 and last.endswith(_SURNAME_ENDINGS))


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Return folded given names from the data file."""
    lines = GIVEN_NAMES.read_text(encoding="utf-8").splitlines()
    return frozenset(fold(line) for line in lines if line and not line.startswith("#"))
