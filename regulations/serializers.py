"""The wire shapes of regulations, field by field, in the order of the specification."""

from typing import Any

from catalog.links import municipality_url, route_path, site_url
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Provision, Resolution, Scope, read_sources
from regulations.queries import Law, Regulation, Unit
from regulations.wording import STATE_UNKNOWN, without_deadline


def regulation(entry: Regulation) -> dict[str, Any]:
    """An element of `/regulations`. Without a resolution `resolution` is null, and `note` says what is known.

    Where no legal state was ever imported, `has_resolution` is null too.
    """
    body: dict[str, Any] = {
        "voivodeship": entry.voivodeship.slug,
        "teryt": entry.voivodeship.teryt,
        "has_resolution": entry.has_resolution,
        "resolution": resolution(entry) if entry.laws else None,
        "page": page_url(entry.voivodeship.slug),
        "as_of": entry.state and entry.state.as_of,
        "note": entry.state.note or None if entry.state else STATE_UNKNOWN,
        "sources": sources(entry.state.sources) if entry.state else [],
    }
    if entry.unit:
        body["requested_unit"] = requested_unit(entry, entry.unit)
    return body


def resolution(entry: Regulation) -> dict[str, Any]:
    """The acts of a voivodeship taken together. Ask only where there is one."""
    assert entry.state is not None  # noqa: S101 - acts belong to a state
    assert entry.main is not None  # noqa: S101 - there are acts
    return {
        "title": "; ".join(law.resolution.title for law in entry.laws),
        "publication": "; ".join(publication(law) for law in entry.laws),
        "text": entry.main.text_url or None,
        "as_of": entry.state.as_of,
        "summary": summary(entry, entry.state),
        "page": page_url(entry.voivodeship.slug),
        "next_deadline": optional_deadline(entry, entry.next_deadline),
        "deadlines": [deadline(entry, row) for row in entry.deadlines],
        "banned_fuels": [ban(entry, row) for row in entry.bans],
        "acts": [act(law) for law in entry.laws],
        "calendar": calendar_url(entry.voivodeship.slug),
    }


def summary(entry: Regulation, state: LegalState) -> str:
    """The editors' words on the newest state. For a day with other acts or rules they say first that they are later."""
    if not entry.changed_since:
        return state.summary
    return f"Opis stanu późniejszego niż na {entry.on:%d.%m.%Y}: {state.summary}"


def requested_unit(entry: Regulation, unit: Unit) -> dict[str, Any]:
    """The unit somebody asked for, with the nearest deadline that binds it or a part of it, or why there is none."""
    following = entry.next_deadline_of_unit
    return {
        "name": unit.name,
        "level": unit.level,
        "teryt": unit.teryt,
        "url": unit_url(unit),
        "next_deadline": optional_deadline(entry, following),
        "note": None if following else without_deadline(entry) or None,
    }


def optional_deadline(entry: Regulation, row: Deadline | None) -> dict[str, Any] | None:
    """A deadline, or null when none is left."""
    return None if row is None else deadline(entry, row)


def deadline(entry: Regulation, row: Deadline) -> dict[str, Any]:
    """A deadline; `date` is the first day on which it holds."""
    return {
        "date": row.date,
        "applies_to": row.applies_to,
        "description": row.description,
        "kind": row.kind,
        **provision(entry, row),
    }


def ban(entry: Regulation, row: FuelBan) -> dict[str, Any]:
    """A fuel that must not be burnt."""
    return {"fuel": row.fuel, "detail": row.detail or None, "from_date": row.from_date, **provision(entry, row)}


def provision(entry: Regulation, row: Provision) -> dict[str, Any]:
    """What deadlines and bans have in common; `binds_requested_unit` only where a unit was asked for."""
    body = {**scope(row), "sources": sources(row.sources)}
    if entry.unit:
        body["binds_requested_unit"] = entry.binds(row)
    return body


def scope(row: Scope) -> dict[str, Any]:
    """Where a rule binds. teryt: municipalities and counties of a local rule. excluded: where a wide one does not."""
    return {
        "scope": row.scope,
        "teryt": sorted({*row.units, *row.partly}) if row.area == Scope.Area.LISTED else [],
        "teryt_partly": sorted(row.partly),
        "teryt_excluded": sorted(row.excluded),
        "caveat": row.caveat or None,
    }


def act(law: Law) -> dict[str, Any]:
    """One act with its amendments."""
    row = law.resolution
    return {
        "title": row.title,
        "number": row.number or None,
        "adopted": row.adopted,
        "publication": row.publication or None,
        "text": row.text_url or None,
        "in_force_from": row.in_force_from,
        **scope(row),
        "note": row.note or None,
        "amendments": [
            {
                "number": amendment.number or None,
                "adopted": amendment.adopted,
                "publication": amendment.publication or None,
                "text": amendment.text_url or None,
                "in_force_from": amendment.in_force_from,
                "changes": amendment.changes,
                "note": amendment.note or None,
                "sources": sources(amendment.sources),
            }
            for amendment in law.amendments
        ],
        "sources": sources(row.sources),
    }


def publication(law: Law) -> str:
    """Where an act and its amendments were published, in words; without a known position what else is known of it."""
    changes = [f"zm. {reference(amendment.publication, amendment)}" for amendment in law.amendments]
    return ", ".join([reference(law.resolution.publication, law.resolution), *changes])


def reference(published: str, row: Resolution | Amendment) -> str:
    """A gazette position, or what else tells an act whose position is not known from the others."""
    if published:
        return published
    words = ["uchwała"]
    if row.number:
        words.append(f"nr {row.number}")
    if row.adopted:
        words.append(f"z {row.adopted:%d.%m.%Y}")
    place = f"{row.scope}; " if isinstance(row, Resolution) and not row.number else ""
    return " ".join(words) + f" ({place}pozycja w dzienniku urzędowym nieustalona)"


def sources(text: str) -> list[dict[str, str]]:
    """Where something was read."""
    return [{"name": source.name, "url": source.url} for source in read_sources(text)]


def page_url(slug: str) -> str:
    """The page of a voivodeship's regulations."""
    return site_url(route_path("regulation", slug))


def calendar_url(slug: str) -> str:
    """The calendar of a voivodeship's deadlines."""
    return site_url(route_path("v1:regulations-calendar", slug))


def unit_url(unit: Unit) -> str:
    """The page of a unit in the catalog; a county's is its voivodeship's."""
    if unit.level == "municipality":
        return municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt)
    return site_url(route_path("voivodeship", unit.voivodeship.slug))
