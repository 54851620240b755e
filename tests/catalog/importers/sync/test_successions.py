"""What becomes of municipalities in an update of the register: one situation a row, then any update at all."""

from hypothesis import given
from hypothesis import strategies as st

from catalog.importers.records import UnitRecord
from catalog.importers.successions import Heirs, county_heirs, find_successions

WHERE = {"12": "małopolskie", "14": "mazowieckie", "02": "dolnośląskie"}
COUNTIES = {"1207": "limanowski", "1208": "miechowski", "1261": "Kraków", "1262": "Nowy Sącz", "1401": "limanowski"}
COUNTIES |= {"0221": "wałbrzyski", "0265": "Wałbrzych"}


def units(*rows):
    """A register of municipalities such as "1207052 Kamienica", with the units above them."""
    found = {}
    for code, _, name in (row.partition(" ") for row in rows):
        found[code[:2]] = UnitRecord(code[:2], WHERE[code[:2]])
        found[code[:4]] = UnitRecord(code[:4], COUNTIES[code[:4]])
        found[code] = UnitRecord(code, name, int(code[6]))
    return found


def told(before, after):
    """What an update is taken for: old code → heir, "heir again" for a code in use again, or the candidates."""
    found = {}
    recoded, dissolved = find_successions(units(*before), units(*after))
    for departure in recoded:
        found[departure.unit.teryt] = departure.heirs.successor + " again" * departure.reused
    return found | {unit.teryt: list(candidates) for unit, candidates in dissolved.items()}


def test_what_became_of_a_unit_is_told_from_both_registers():
    for before, after, expected in (
        (["1207052 A"], ["1207052 A"], {}),  # nothing
        (["1207052 A"], ["1207052 B"], {}),  # a new name
        (["1207052 A", "1207062 B"], ["1207052 B", "1207062 A"], {}),  # two that swap names: the code counts
        (["1207052 A"], ["1207052 A", "1207132 B"], {}),  # a part becomes a municipality of its own
        (["1207052 A"], ["1207053 A"], {"1207052": "1207053"}),  # a village becomes a town
        (["1207052 A"], ["1207053 B"], {"1207052": "1207053"}),  # another kind and another name
        (["1207052 A"], ["1207053 B", "1208112 A"], {"1207052": "1208112"}),  # and its number goes on
        (["1207052 A"], ["1208112 A"], {"1207052": "1208112"}),  # another county
        (["1207011 A"], ["1262011 A"], {"1207011": "1262011"}),  # a town gets the rights of a county
        (["0221091 W"], ["0265011 W"], {"0221091": "0265011"}),  # as Wałbrzych did in 2013
        (["1207052 A"], ["1208113 A"], {"1207052": "1208113"}),  # another county and another kind
        # a town and the country around it move together
        (["1207011 A", "1207022 A"], ["1208011 A", "1208022 A"], {"1207011": "1208011", "1207022": "1208022"}),
        # a whole county moves to another voivodeship
        (["1207012 A", "1207022 B"], ["1401012 A", "1401022 B"], {"1207012": "1401012", "1207022": "1401022"}),
        (["1207012 A", "1208012 A"], ["1261012 A", "1262012 A"], {"1207012": [], "1208012": []}),  # two of one name
        (["1207011 A", "1207022 A"], ["1207011 A"], {"1207022": ["1207011"]}),  # a town takes its country
        (["1207022 A", "1262011 A"], ["1262011 A"], {"1207022": ["1262011"]}),  # as Zielona Góra in 2015
        (["1207022 A", "1208012 A"], ["1208012 A"], {"1207022": []}),  # a namesake elsewhere is none
        (["1207012 A", "1207022 B"], ["1207012 A"], {"1207022": []}),  # only the map can tell
        (["1207012 A", "1207022 B"], ["1207032 C"], {"1207012": ["1207032"], "1207022": ["1207032"]}),  # two in one
        (["1207012 A"], ["1207022 B", "1207032 C"], {"1207012": ["1207022", "1207032"]}),  # one becomes two
        (["1207012 A"], ["1207012 B", "1207022 A"], {"1207012": "1207022 again"}),  # a code is in use again
        (["1207012 A", "1207022 B"], ["1207013 A"], {"1207012": "1207013", "1207022": []}),  # a mixture
    ):
        assert told(before, after) == expected


NAMES = st.sampled_from("ABCD")
NUMBERS = st.sampled_from([f"{county}{number:02}" for county in COUNTIES for number in (1, 2, 3)])
REGISTERS = st.dictionaries(NUMBERS, st.tuples(st.sampled_from("123"), NAMES), min_size=1, max_size=8)


def register(numbers):
    return units(*(f"{number}{kind} {name}" for number, (kind, name) in numbers.items()))


@given(REGISTERS, REGISTERS)
def test_after_any_update_every_unit_that_is_gone_is_told_once(before, after):
    old, new = register(before), register(after)
    recoded, dissolved = find_successions(old, new)
    gone = {code for code in old if len(code) == 7 and code not in new}
    moved = [departure.unit.teryt for departure in recoded if not departure.reused]
    assert sorted([*moved, *(unit.teryt for unit in dissolved)]) == sorted(gone)
    followers = [departure.heirs.successor for departure in recoded]
    assert len(followers) == len(set(followers))
    assert {*followers, *(code for candidates in dissolved.values() for code in candidates)} <= new.keys()
    assert not any(departure.reused and departure.unit.teryt not in new for departure in recoded)
    assert find_successions(new, new) == ([], {})


def test_heirs_of_heirs():
    first = Heirs("A", ("B",))
    assert first.followed_by({"A": Heirs("C")}) == Heirs("C", ("B",))
    assert first.followed_by({"B": Heirs("A")}) == Heirs("A")
    assert first.followed_by({"A": Heirs("D", ("E",), whole=False)}) == Heirs("D", ("B", "E"), whole=False)


def test_counties_go_where_most_of_their_municipalities_went():
    heirs = {"1207012": "1208052", "1207022": "1208062", "1207032": "1401012"}
    assert county_heirs(["1207", "1299"], heirs) == {"1207": "1208"}
    assert county_heirs(["12"], heirs) == {"12": "12"}
