"""Serializers of acts and their amendments."""

from typing import Any

from rest_framework.serializers import CharField, DateField, Serializer, URLField

from regulations.api.provision_serializers import (
    GAZETTE,
    ReadSourceSerializer,
    ScopeSerializer,
    describe_scope,
    describe_sources,
)
from regulations.models import Amendment, Resolution
from regulations.queries import Law, Regulation


class PublishedActSerializer(Serializer[Any]):
    """Fields shared by acts and amendments. Fields that may be absent are so only with `binding`."""

    number = CharField(
        required=False,
        allow_null=True,
        help_text="Number of the act; null when not known.",
        style={"example": "XXXII/452/17"},
    )
    adopted = DateField(
        required=False,
        allow_null=True,
        help_text="Day of adoption; null when not known.",
        style={"example": "2017-01-23"},
    )
    publication = CharField(
        required=False,
        allow_null=True,
        help_text="Position in the gazette; null when not known.",
        style={"example": "Dz. Urz. Woj. Małopolskiego z 2017 r. poz. 787"},
    )
    text = URLField(
        required=False,
        allow_null=True,
        help_text="Official text; null when its address is not known.",
        style={"example": GAZETTE},
    )
    in_force_from = DateField(
        required=False,
        allow_null=True,
        help_text="First day in force; null when not known.",
        style={"example": "2017-07-01"},
    )

    def to_representation(self, instance: Resolution | Amendment) -> dict[str, Any]:
        """Return number, days and place of publication."""
        return {
            "number": instance.number or None,
            "adopted": instance.adopted,
            "publication": instance.publication or None,
            "text": instance.text_url or None,
            "in_force_from": instance.in_force_from,
        }


class AmendmentSerializer(PublishedActSerializer):
    """An amendment of an act."""

    changes = CharField(
        help_text="What it changed, in Polish.", style={"example": "Przesunięto termin wymiany kotłów."}
    )
    note = CharField(
        required=False,
        allow_null=True,
        help_text="Remark in Polish; null without one.",
        style={"example": "Przyjęta we wrześniu 2022 r."},
    )
    sources = ReadSourceSerializer(required=False, many=True, help_text="Where this was read.")

    def to_representation(self, instance: Resolution | Amendment) -> dict[str, Any]:
        """Return the fields of an amendment."""
        assert isinstance(instance, Amendment)  # noqa: S101
        return {
            **super().to_representation(instance),
            "changes": instance.changes,
            "note": instance.note or None,
            "sources": describe_sources(instance.sources),
        }


class ActSerializer(PublishedActSerializer, ScopeSerializer):
    """One act."""

    title = CharField(
        required=False, help_text="Title of the act.", style={"example": "Uchwała w sprawie ograniczeń i zakazów"}
    )
    note = CharField(
        required=False,
        allow_null=True,
        help_text="Remark in Polish; null without one.",
        style={"example": "Tekst jednolity z 2022 r."},
    )
    amendments = AmendmentSerializer(required=False, many=True, help_text="Amendments of the act.")
    sources = ReadSourceSerializer(required=False, many=True, help_text="Where this was read.")

    def to_representation(self, instance: tuple[Regulation, Law]) -> dict[str, Any]:  # type: ignore[override]
        """Return an act of a legal state with its amendments."""
        regulation, law = instance
        act = law.resolution
        return {
            "title": act.title,
            **super().to_representation(act),
            **describe_scope(regulation, act),
            "note": act.note or None,
            "amendments": [AMENDMENT.to_representation(one) for one in law.amendments],
            "sources": describe_sources(act.sources),
        }


# `to_representation` uses no state, so one instance serves all rows; creating one takes as long as serializing a row.
AMENDMENT, ACT = AmendmentSerializer(), ActSerializer()


def publication(law: Law) -> str:
    """Return the gazette references of an act and its amendments, in Polish."""
    changes = [f"zm. {reference(amendment.publication, amendment)}" for amendment in law.amendments]
    return ", ".join([reference(law.resolution.publication, law.resolution), *changes])


def reference(published: str, row: Resolution | Amendment) -> str:
    """Return the gazette position; without one, number and day, and without a number the scope."""
    if published:
        return published
    words = ["uchwała"]
    if row.number:
        words.append(f"nr {row.number}")
    if row.adopted:
        words.append(f"z {row.adopted:%d.%m.%Y}")
    if isinstance(row, Resolution) and not row.number:
        words.append(f"({row.scope})")
    return " ".join(words)
