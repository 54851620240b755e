"""Responses of `/subsidy`: one serializer each; drf-spectacular publishes its declared fields.

Amounts are JSON numbers of at most two decimals. `catalog.api.serializers` explains why `to_representation` is written
out.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.template.loader import render_to_string
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    FloatField,
    ListField,
    Serializer,
    URLField,
)

from catalog.api.serializers import SITE
from fueldepot.http.links import route_path, site_url
from subsidy.api.params import SubsidyQuery
from subsidy.application import Household, Item, Level
from subsidy.calculator import ItemRow, Result, Variant
from subsidy.calculator.result import Binding, Requirement
from subsidy.rules import DatedValue, RulesAt
from subsidy.rules.reading import UNITS

PROGRAMME = "https://czystepowietrze.gov.pl/"
DOCUMENTS = "Czyste Powietrze: dokumenty obowiązujące"
LISTS = ("items", "audit_variants", "conditions", "sources")
"""Fields that a brief response leaves out."""

PARTS = ("summary", "items", "conditions")
"""HTML fragments of the result."""


class AmountField(FloatField):
    """An amount in zł. words: its description."""

    def __init__(self, words: str, example: float, **kwargs: Any) -> None:
        super().__init__(
            min_value=0, help_text=f"{words} In zł, at most two decimals.", style={"example": example}, **kwargs
        )


def optional(amount: Decimal | None) -> float | None:
    """Return an amount as a JSON number or null."""
    return None if amount is None else float(amount)


class LimitSourceSerializer(Serializer[Any]):
    """Where the limit of an item stands; null where there is no limit."""

    unit_limit_pln = AmountField("Limit of one piece or square metre.", 192.5)
    valid_from = DateField(help_text="First day of this limit.", style={"example": "2026-07-20"})
    verified = BooleanField(help_text="Whether an official source confirms it.", style={"example": True})
    name = CharField(help_text="Name of the source.", style={"example": DOCUMENTS})
    url = URLField(help_text="Address of the source.", style={"example": PROGRAMME})


class SubsidyItemSerializer(Serializer[ItemRow]):
    """One item of the plan."""

    item = ChoiceField([item.value for item in Item], help_text="Identifier of the item.", style={"example": "walls"})
    name = CharField(help_text="Polish name of the item.", style={"example": "Ocieplenie ścian"})
    clause = CharField(
        help_text="Where the programme says so.", style={"example": "załącznik nr 2 do programu, tabela 3"}
    )
    quantity = FloatField(min_value=0, help_text="Quantity in the unit of the item.", style={"example": 150.0})
    unit = ChoiceField(sorted(UNITS), help_text="Pieces or square metres.", style={"example": "m2"})
    limit_pln = AmountField("Limit of the item.", 28875.0)
    net_cost_pln = AmountField("Net cost as given; null without one.", 40000.0, allow_null=True)
    subsidy_pln = AmountField("Subsidy of the item, before the limit of table 3.", 28000.0)
    eligible = BooleanField(help_text="Whether the programme pays for it.", style={"example": True})
    binding = ChoiceField(
        [bound.value for bound in Binding],
        allow_null=True,
        help_text="Which bound decided; null where nothing is paid.",
        style={"example": "limit"},
    )
    reason = CharField(
        allow_null=True,
        help_text="Why it is not eligible, in Polish; null when it is.",
        style={"example": "Dochód jest zbyt wysoki."},
    )
    limit_source = LimitSourceSerializer(allow_null=True)

    def to_representation(self, instance: ItemRow) -> dict[str, Any]:
        """Return the fields of an item. Not in the specification: binding, reason, limit_source."""
        limit = instance.limit
        return {
            "item": instance.item.value,
            "name": instance.name,
            "clause": instance.clause,
            "quantity": float(instance.quantity),
            "unit": instance.unit,
            "limit_pln": float(instance.limit_pln),
            "net_cost_pln": optional(instance.net_cost_pln),
            "subsidy_pln": float(instance.subsidy_pln),
            "eligible": instance.eligible,
            "binding": instance.binding,
            "reason": instance.reason or None,
            "limit_source": limit
            and {
                "unit_limit_pln": float(limit.value),
                "valid_from": limit.valid_from,
                "verified": limit.verified,
                "name": limit.source.title,
                "url": limit.source.url,
            },
        }


class SubsidyVariantSerializer(Serializer[Any]):
    """The result for one project type."""

    level = ChoiceField([level.value for level in Level], help_text="Level of funding.", style={"example": "elevated"})
    level_name = CharField(help_text="Polish name of the level.", style={"example": "podwyższony"})
    level_reason = CharField(
        help_text="Why this level, in Polish.",
        style={"example": "Dochód na osobę nie przekracza progu 2 250 zł miesięcznie."},
    )
    condition = CharField(
        allow_null=True,
        help_text="What must hold besides what was stated, in Polish; null when nothing.",
        style={"example": "Dochód roczny…"},
    )
    intensity = FloatField(min_value=0, max_value=1, help_text="Funding share as a fraction.", style={"example": 0.7})
    household = ChoiceField(
        [household.value for household in Household],
        help_text="`unknown` when `people` was not given.",
        style={"example": "multi_person"},
    )
    project_type = ChoiceField([1, 2, 3], help_text="Project type; matches the classes of `eu`.", style={"example": 3})
    items = SubsidyItemSerializer(many=True, help_text="What was asked for, item by item.")
    table_3_sum_pln = AmountField("Sum of the subsidy for items of the envelope.", 28875.0)
    table_3_limit_pln = AmountField("Limit of that sum.", 58100.0)
    max_subsidy_pln = AmountField("Most the programme would pay in all.", 43225.0)
    own_contribution_net_pln = AmountField(
        "Own contribution over the items with a cost; null without any cost.", 12375.0, allow_null=True
    )

    def to_representation(self, instance: Variant) -> dict[str, Any]:
        """Return the fields from level to own contribution. Not in the specification: level_reason."""
        item = SubsidyItemSerializer()
        return {
            "level": instance.level.value,
            "level_name": instance.level_name,
            "level_reason": instance.reason,
            "condition": instance.condition,
            "intensity": float(instance.intensity),
            "household": instance.household.value,
            "project_type": int(instance.project_type),
            "items": [item.to_representation(row) for row in instance.rows],
            "table_3_sum_pln": float(instance.table_3_sum_pln),
            "table_3_limit_pln": float(instance.table_3_limit_pln),
            "max_subsidy_pln": float(instance.max_subsidy_pln),
            "own_contribution_net_pln": optional(instance.own_contribution_pln),
        }


class SubsidyConditionSerializer(Serializer[Requirement]):
    """A condition of the programme."""

    text = CharField(help_text="The condition, in Polish.", style={"example": "Dom jest jednorodzinny."})
    clause = CharField(help_text="Where the programme says so.", style={"example": "program Czyste Powietrze"})
    verified = BooleanField(help_text="Whether an official source confirms it.", style={"example": True})
    source_url = URLField(help_text="Address of the source.", style={"example": PROGRAMME})


class SubsidyProgramSerializer(Serializer[Any]):
    """The edition of the programme."""

    version_from = DateField(help_text="First day of the edition in force.", style={"example": "2026-07-20"})
    as_of = DateField(help_text="Day to which the edition is described.", style={"example": "2026-10-01"})


class SubsidySourceSerializer(Serializer[Any]):
    """A source of the rules."""

    name = CharField(help_text="Name of the source.", style={"example": DOCUMENTS})
    url = URLField(help_text="Address of the source.", style={"example": PROGRAMME})


class SubsidyHtmlSerializer(Serializer[Any]):
    """HTML fragments of the result, in Polish. Only with `html` true."""

    def get_fields(self) -> dict[str, Any]:
        """Return a field for each fragment."""
        return {part: CharField(help_text=f"The {part} as HTML.", style={"example": "<p>…</p>"}) for part in PARTS}


class SubsidySerializer(SubsidyVariantSerializer):
    """An indicative result; the regional environmental-protection fund decides."""

    items = SubsidyItemSerializer(
        many=True, required=False, help_text="What was asked for, item by item. Absent with `brief`."
    )
    audit_variants = SubsidyVariantSerializer(
        many=True,
        required=False,
        help_text="Results of project types 1, 2 and 3 when `eu` is unknown; else empty. Absent with `brief`.",
    )
    notes = ListField(
        child=CharField(help_text="A remark in Polish.", style={"example": "Limity obcinamy do pełnego grosza."}),
        help_text="Remarks on the result; the first of them name parameters that are not known and were ignored.",
    )
    conditions = SubsidyConditionSerializer(
        many=True,
        required=False,
        help_text="Conditions of the programme that concern this plan. Absent with `brief`.",
    )
    disclaimer = CharField(
        help_text="How far the result can be relied on, in Polish.", style={"example": "Wynik jest orientacyjny."}
    )
    program = SubsidyProgramSerializer()
    sources = SubsidySourceSerializer(many=True, required=False, help_text="Sources of the rules. Absent with `brief`.")
    page = URLField(help_text="Page of the calculator.", style={"example": f"{SITE}/dotacja/"})
    business_revenue_limit_pln = AmountField(
        "Revenue limit of a business; null without `business`.", 192240.0, allow_null=True
    )
    html = SubsidyHtmlSerializer(required=False)

    def to_representation(self, instance: Result) -> dict[str, Any]:  # type: ignore[override]
        """Return the whole response. Not in the specification: business_revenue_limit_pln.

        context: `html` adds fragments, `brief` leaves out LISTS, `ignored` holds notes that come first.
        """
        write_variant = super().to_representation
        answer = {
            **write_variant(instance.shown),
            "audit_variants": [write_variant(one) for one in instance.variants],
            "notes": [*self.context["ignored"], *instance.notes],
            "conditions": [
                {"text": one.text, "clause": one.clause, "verified": one.verified, "source_url": one.source.url}
                for one in instance.conditions
            ],
            "disclaimer": instance.disclaimer,
            "program": {"version_from": instance.edition.valid_from, "as_of": instance.edition.as_of},
            "sources": [{"name": source.title, "url": source.url} for source in instance.sources],
            "page": site_url(route_path("subsidy")),
            "business_revenue_limit_pln": optional(instance.business_revenue_limit_pln),
        }
        if self.context.get("brief"):
            answer = {name: value for name, value in answer.items() if name not in LISTS}
        if self.context["html"]:
            answer["html"] = {
                part: render_to_string(f"subsidy/_{part}.html", {"result": instance, "shown": instance.shown}).strip()
                for part in PARTS
            }
        return answer


class SubsidyLimitSerializer(Serializer[Any]):
    """A threshold, share or limit of the programme in force."""

    parameter = CharField(
        help_text="What it is: `levels/monthly_income`, `levels/intensity`, `project_types/table_3_limit`, "
        "`items/walls` and so on.",
        style={"example": "levels/monthly_income"},
    )
    key = CharField(
        help_text="For whom: a level, `level/household`, or `project type/level`.",
        style={"example": "elevated/multi_person"},
    )
    value = FloatField(min_value=0, help_text="The number in its unit.", style={"example": 2250.0})
    unit = CharField(help_text="Unit of the number.", style={"example": "PLN/person/month"})
    valid_from = DateField(help_text="First day of this number.", style={"example": "2025-03-31"})
    verified = BooleanField(help_text="Whether an official source confirms it.", style={"example": True})
    source_url = URLField(
        allow_null=True, help_text="Address of the source; null where it has none.", style={"example": PROGRAMME}
    )

    def to_representation(self, instance: tuple[tuple[str, str], DatedValue]) -> dict[str, Any]:
        """Return the fields of a number."""
        (parameter, key), number = instance
        return {
            "parameter": parameter,
            "key": key,
            "value": float(number.value),
            "unit": number.unit,
            "valid_from": number.valid_from,
            "verified": number.verified,
            "source_url": number.source.url or None,
        }


class SubsidyLimitsSerializer(Serializer[Any]):
    """Thresholds, shares and limits of the programme as data. The documents of the programme bind."""

    program = SubsidyProgramSerializer()
    limits = SubsidyLimitSerializer(many=True, help_text="The numbers in force, by parameter.")
    page = URLField(help_text="Page of the calculator.", style={"example": f"{SITE}/dotacja/"})

    def to_representation(self, instance: RulesAt) -> dict[str, Any]:
        """Return the numbers in force. context: `about`, a group or None for all."""
        about, one = self.context["about"], SubsidyLimitSerializer()
        return {
            "program": {"version_from": instance.edition.valid_from, "as_of": instance.edition.as_of},
            "limits": [
                one.to_representation(item)
                for item in sorted(instance.values.items())
                if about in (None, item[0][0].partition("/")[0])
            ],
            "page": site_url(route_path("subsidy")),
        }


def describe_unknown(query: SubsidyQuery, on: RulesAt) -> Iterator[str]:
    """Yield a note for each ignored unknown parameter, and one for their excess."""
    for one in query.unknown:
        if one.nearest:
            yield on.text("note_parameter_misspelt", name=one.name, nearest=one.nearest)
        else:
            yield on.text("note_parameter_unknown", name=one.name)
    if query.more_unknown:
        yield on.text("note_parameters_unknown", count=query.more_unknown)
