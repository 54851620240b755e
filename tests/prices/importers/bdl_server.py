"""What the BDL answers, in the office's format, and failures on demand; `tests.publisher_server` serves it."""

from typing import Any

SUBJECTS = {
    "K15": [
        {"id": "G186", "name": "CENY DETALICZNE", "hasVariables": False, "children": ["P1", "P2"], "levels": [2]},
        {"id": "G999", "name": "PUSTE", "hasVariables": False, "children": [], "levels": [2]},
    ],
    "G186": [
        {"id": "P1", "parentId": "G186", "name": "Ceny towarów", "hasVariables": True, "children": []},
        {"id": "P2", "parentId": "G186", "name": "Ceny nośników energii", "hasVariables": True, "children": []},
    ],
}


def variable(number: int, *names: str, unit: str = "zł", subject: str = "P1") -> dict[str, Any]:
    named = {f"n{place}": name for place, name in enumerate(names, start=1)}
    return {"id": number, "subjectId": subject, **named, "level": 2, "measureUnitId": 4, "measureUnitName": unit}


VARIABLES = {
    "P1": [
        *(variable(number, f"chleb {number} - za 1 kg") for number in range(1, 131)),
        variable(5001, "węgiel kamienny - za 1 t"),
        variable(5002, "ziemniaki - za 1 kg"),
    ],
    "P2": [
        variable(6001, "energia elektryczna dla gospodarstw domowych", "taryfa G-11 - za 1 kWh", subject="P2"),
        variable(6002, "gaz ziemny wysokometanowy", "taryfa W-1.1 - za 1 kWh", subject="P2"),
        variable(6003, "gaz ziemny wysokometanowy", "taryfa W-1.1 - za 1 m3", subject="P2"),
    ],
}


def values(**years: float | tuple[float, int]) -> list[dict[str, Any]]:
    """Return values as in /data: y2020=1.5, or with an attribute y2020=(0, 4)."""
    rows = []
    for year, value in years.items():
        number, attribute = value if isinstance(value, tuple) else (value, 1)
        rows.append({"year": year[1:], "val": number, "attrId": attribute})
    return rows


POLAND, MACROREGION = "000000000000", "010000000000"
MALOPOLSKIE, MAZOWIECKIE = "011200000000", "071400000000"

DATA: dict[tuple[int, int], list[dict[str, Any]]] = {
    (5001, 0): [{"id": POLAND, "name": "POLSKA", "values": values(y2021=996.6, y2022=2329.03, y2023=(0, 4))}],
    (5001, 2): [],
    (6001, 0): [{"id": POLAND, "name": "POLSKA", "values": values(y2024=1.01)}],
    (6001, 2): [
        {"id": MACROREGION, "name": "MAKROREGION POŁUDNIOWY", "values": values(y2024=9.0)},
        {"id": MALOPOLSKIE, "name": "MAŁOPOLSKIE", "values": values(y2024=0.97, y1998=0.2)},
        {"id": MAZOWIECKIE, "name": "MAZOWIECKIE", "values": values(y2024=1.02, y2023=(0, 15))},
    ],
    (6002, 0): [{"id": POLAND, "name": "POLSKA", "values": values(y2024=0.3456)}],
    (6002, 2): [],
}


class FakeBdl:
    """Requests of the server and its planned failures, by number of the request.

    Troubles: an integer is a status; "list" sends a list, "no results" a page without any; others are the publishers'.
    page_size: what the server really gives at once.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.troubles: dict[int, int | str] = {}
        self.always: int | str | None = None
        self.page_size = 100
        self.searchable = True
        self.data = {key: [dict(row) for row in rows] for key, rows in DATA.items()}

    def note(self, path: str, query: dict[str, str], headers: dict[str, str]) -> Any:
        """Note a request; returns the trouble that is planned for it, as the publishers have it."""
        self.asked.append((path, query, headers))
        trouble = self.troubles.get(len(self.asked), self.always)
        return (429, {"Retry-After": "7"}) if trouble == 429 else trouble or ""

    @property
    def paths(self) -> list[str]:
        return [path for path, _, _ in self.asked]

    def answer(self, path: str, query: dict[str, str], trouble: Any = "") -> dict[str, Any] | list[Any] | None:
        """Return the response of a path, None for 404."""
        if trouble == "list":
            return []
        content = self.content(path, query)
        return content | {"results": []} if content and trouble == "no results" else content

    def content(self, path: str, query: dict[str, str]) -> dict[str, Any] | None:
        parts = path.strip("/").split("/")
        if parts == ["subjects"]:
            return self.page(SUBJECTS[query["parent-id"]], query)
        if parts == ["variables"]:
            return self.page(VARIABLES[query["subject-id"]], query)
        if parts == ["variables", "search"]:
            if not self.searchable:
                return None
            named = [row for rows in VARIABLES.values() for row in rows if query["name"] in str(row)]
            return self.page(named, query)
        if parts[0] == "variables":
            return next((v for rows in VARIABLES.values() for v in rows if v["id"] == int(parts[1])), None)
        number = int(parts[2])
        rows = self.data.get((number, int(query["unit-level"])), [])
        head = {"variableId": number, "measureUnitId": 4, "aggregateId": 1, "lastUpdate": "2025-05-14T15:05:15.743"}
        return {**head, **self.page(rows, query)}

    def page(self, rows: list[dict[str, Any]], query: dict[str, str]) -> dict[str, Any]:
        size = min(int(query["page-size"]), self.page_size)
        start = int(query["page"]) * size
        found = rows[start : start + size]
        return {"totalRecords": len(rows), "page": int(query["page"]), "pageSize": size, "results": found}
