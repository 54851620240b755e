"""The client of the BDL API against a local server, failures included."""

import json
from itertools import pairwise

import pytest

from catalog.importers.records import BadInput, DownloadFailed
from catalog.importers.sources import identify
from prices.bdl import ANONYMOUS_LIMITS, BdlClient, Pace, VariableRecord, area_of, observations
from prices.sources import choose
from tests.catalog.importers.parsers.helpers import write
from tests.prices.importers.bdl_server import POLAND


class Clock:
    """A clock that only `sleep` advances."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def monotonic(self):
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("prices.bdl.time", clock)
    return clock


@pytest.fixture
def bdl(publishers):
    return publishers.bdl


@pytest.fixture
def url(publishers):
    return f"{publishers.url}/bdl"


@pytest.fixture
def client(url):
    with BdlClient(url, "") as client:
        yield client


def test_every_page_is_read(bdl, client):
    assert len(list(client.variables_of("K15"))) == 132 + 3
    assert [query["page"] for path, query, _ in bdl.asked if query.get("subject-id") == "P1"] == ["0", "1"]
    assert not any(query.get("parent-id") == "G999" for _, query, _ in bdl.asked)
    bdl.page_size = 1
    assert [len(page["results"]) for page in list(client.data(6001))] == [1, 1, 1, 1]


def test_the_client_id_is_sent_only_when_there_is_one(bdl, client, url):
    client.get("variables/5001")
    with BdlClient(url, "sekret") as registered:
        registered.get("variables/5001")
    assert [headers.get("X-ClientId") for _, _, headers in bdl.asked] == [None, "sekret"]


@pytest.mark.parametrize(
    ("troubles", "slept"), [({1: 429, 2: 429}, [7, 7]), ({1: "refuse"}, [1]), ({1: 500}, [1]), ({1: 503}, [1])]
)
def test_a_passing_trouble_is_tried_again_after_as_long_as_the_server_asks(bdl, client, clock, troubles, slept):
    bdl.troubles = troubles
    assert client.variable(5001).id == 5001
    assert clock.slept == slept


@pytest.mark.parametrize(
    ("trouble", "message", "slept"),
    [
        *(("refuse", "after 5 attempts", [1, 2, 4, 8]), (500, "after 5 attempts", [1, 2, 4, 8])),
        *((429, "after 5 attempts", [7, 7, 7, 8]), (403, "403", [])),
    ],
)
def test_lasting_trouble_ends_after_five_attempts_and_a_refusal_after_one(bdl, client, clock, trouble, message, slept):
    bdl.always = trouble
    with pytest.raises(DownloadFailed, match=message):
        client.variable(5001)
    assert (len(bdl.asked), clock.slept) == (len(slept) + 1, slept)


@pytest.mark.parametrize("trouble", ["half", "list"])
def test_a_malformed_page_is_named_and_not_tried_again(bdl, client, trouble):
    bdl.troubles = {2: trouble}
    with pytest.raises(BadInput, match="subjects"):
        list(client.variables_of("K15"))
    assert len(bdl.asked) == 2


def test_a_page_that_lacks_announced_records_is_refused(bdl, client):
    bdl.troubles = {2: "no results"}
    bdl.page_size = 60
    with pytest.raises(BadInput, match="announced"):
        list(client.pages("variables", **{"subject-id": "P1"}))


NAMELESS, ENDLESS = {"results": [{"name": "CENY"}], "totalRecords": 1}, {"results": [{"id": "P1"}], "totalRecords": 999}
FOREIGN = {"variableId": 6002, "results": [], "totalRecords": 0}


@pytest.mark.parametrize(
    ("ask", "answer", "message"),
    [
        (lambda client: client.variables_of("K15"), {"results": []}, "does not say how many records there are"),
        (lambda client: client.variables_of("K15"), NAMELESS, "subjects below K15: hold one without id"),
        (lambda client: client.data(6001), FOREIGN, "values of variable 6001: are of variable 6002"),
        (lambda client: client.pages("subjects"), ENDLESS, "more than 3 pages"),
    ],
)
def test_an_answer_of_another_form_or_without_end_is_refused(bdl, client, monkeypatch, ask, answer, message):
    monkeypatch.setattr("prices.bdl.MOST_PAGES", 3)
    monkeypatch.setattr(bdl, "content", lambda path, query: answer)
    with pytest.raises(BadInput, match=message):
        list(ask(client))


def test_requests_keep_to_the_published_limits_and_do_not_wait_for_hours(clock):
    pace, moments = Pace(ANONYMOUS_LIMITS), []
    for _ in range(230):
        pace.wait()
        moments.append(clock.now)
    for most, seconds in ANONYMOUS_LIMITS:
        assert all(later - earlier >= seconds for earlier, later in zip(moments, moments[most:], strict=False))
    assert all(later >= earlier for earlier, later in pairwise(moments))
    pace = Pace(((2, 12 * 3600),))
    pace.wait()
    pace.wait()
    with pytest.raises(DownloadFailed, match="12 hours"):
        pace.wait()


def variable(number, name, unit="zł"):
    return VariableRecord(number, name, unit)


def test_a_variable_of_another_unit_is_refused_by_name():
    gas, coal = variable(1, "gaz ziemny – taryfa W-1.1 - za 1 m3"), variable(2, "węgiel kamienny - za 1 t", unit="%")
    found, notes = choose([gas, coal, variable(3, "energia elektryczna G-11", unit="zł/kWh")])
    assert {slug: v.id for slug, v in found.items()} == {"prad-g11": 3}
    assert [note.key for note in notes] == ["wegiel-kamienny", "wegiel-kamienny", "gaz-w11", "gaz-w11"]
    assert "not zł/kWh" in notes[2].reason


def test_other_goods_are_not_coal_by_the_tonne_and_of_two_that_fit_none_is_taken():
    for name in ("węgiel brunatny - za 1 t", "koks - za 1 t", "węgiel kamienny - za 10 t"):
        assert choose([variable(1, name)])[0] == {}
    found, notes = choose([variable(1, "węgiel kamienny - za 1 t"), variable(2, "węgiel kamienny - za 1000 kg")])
    assert found == {}
    assert "--variable" in notes[0].reason


def test_units():
    none = ("010000000000", "011210000000", "011212001011", "x", None, 12)
    area = {"000000000000": "", "011200000000": "12"} | dict.fromkeys(none)
    assert {unit: area_of(unit) for unit in area} == area


def test_rows_of_another_form_are_refused():
    value = {"year": "2020", "val": 1, "attrId": 1}
    assert list(observations("prad-g11", {"variableId": 1, "results": [{"id": POLAND, "values": [value]}]}, "file", []))
    changed = ({"year": "MMXX"}, {"val": "1"}, {"val": None}, {"val": 1e300})
    wrong = (3, {"year": "2020", "val": 1}, *(value | values for values in changed))
    for row in ({"id": POLAND}, {"values": []}, *({"id": POLAND, "values": [each]} for each in wrong)):
        with pytest.raises(BadInput):
            list(observations("prad-g11", {"variableId": 1, "results": [row]}, "file", []))
    other = {"variableId": 1, "results": [{"id": POLAND, "values": [value | {"attrId": each} for each in ([1], None)]}]}
    assert list(observations("prad-g11", other, "file", notes := [])) == []
    assert [note.reason.partition(" says:")[0] for note in notes] == [
        f"no price, its attribute {each}" for each in ([1], None)
    ]


def test_only_answers_of_the_statistical_office_are_taken_for_such(tmp_path):
    for content in ("{", '{"results": []}', json.dumps({"results": [], "variableId": 1})):
        recognised = identify(write(tmp_path / "a.json", content))
        assert (recognised is not None and recognised[0].id == "gus-bdl") == content.endswith("1}"), content
