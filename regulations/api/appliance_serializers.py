"""Serializers of the check of a single appliance."""

from typing import Any

from django.urls import reverse
from rest_framework.serializers import CharField, ChoiceField, DateField, ListField, Serializer, URLField

from catalog.api.serializers import SITE
from fueldepot.http.links import site_url
from regulations.api.provision_serializers import DeadlineSerializer, describe_deadline
from regulations.appliance_check import ApplianceStatus, check_appliance
from regulations.appliance_descriptions import describe_check, describe_limit, last_day
from regulations.codes import Appliance, Exemption
from regulations.queries import Regulation


class ExemptionsField(ListField):
    """Codes of what frees a single appliance."""

    child = ChoiceField(Exemption.values, style={"example": Exemption.ECODESIGN.value})


class ApplianceLimitSerializer(Serializer[Any]):
    """A deadline for some fuels, buildings, appliances or parts of the municipality only."""

    last_day = DateField(help_text="Last day of use where it binds.", style={"example": "2029-12-31"})
    sentence = CharField(
        help_text="The same as a sentence in Polish.",
        style={"example": "Do 31 grudnia 2029 r., jeśli paliwo to węgiel kamienny."},
    )
    exemptions = ExemptionsField(help_text="What frees a single appliance; one of them is enough.")
    deadline = DeadlineSerializer()


class RequestedApplianceSerializer(Serializer[Regulation]):
    """Until when the appliance asked for may be used in the requested municipality. Comes with `appliance`.

    context: `appliance`.
    """

    appliance = ChoiceField(
        Appliance.values, help_text="Code of the appliance.", style={"example": Appliance.BOILER_CLASS_3.value}
    )
    name = CharField(help_text="Its name in Polish.", style={"example": Appliance.BOILER_CLASS_3.label})
    status = ChoiceField(
        [status.value for status in ApplianceStatus],
        help_text="What is known. `ends`, `ended`: the deciding deadline is ahead, or has passed. `stays`: a source "
        "says that it may be used without an end. `limited`: the deadlines are for some fuels, buildings or parts of "
        "the municipality only. `contradicted`: sources contradict each other. `not_named`: no known deadline is "
        "about it. `dates_unknown`: an act binds, its deadlines are not known. `state_unknown`: nothing was ever "
        "imported. None of the last three is a permission. `no_resolution`: there is no act.",
        style={"example": ApplianceStatus.ENDS.value},
    )
    last_day = DateField(
        allow_null=True,
        help_text="Last day of use with `ends` and `ended`; null otherwise.",
        style={"example": "2026-12-31"},
    )
    sentence = CharField(
        help_text="The answer as one sentence in Polish.",
        style={"example": "Zakopane, kocioł klasy 3: wolno używać do 31 grudnia 2026 r."},
    )
    today = CharField(
        allow_null=True,
        help_text="What that means today, in Polish; null where nothing is to add.",
        style={"example": "Zapytaj w gminie."},
    )
    exemptions = ExemptionsField(
        help_text="What frees a single appliance from the deciding deadline; one of them is enough."
    )
    stays_if_started_before = DateField(
        allow_null=True,
        help_text="Appliances put to use before this day may stay; null without such a rule.",
        style={"example": "2017-07-01"},
    )
    deadline = DeadlineSerializer(allow_null=True)
    limits = ApplianceLimitSerializer(many=True, help_text="Further deadlines of the appliance, the earliest first.")
    page = URLField(
        help_text="Page of the check.",
        style={"example": f"{SITE}/przepisy/sprawdz/?miejsce=1217011&piec=boiler_class_3"},
    )

    def to_representation(self, instance: Regulation) -> dict[str, Any]:
        """Return the fields of the check: status, last day, sentences and deadlines."""
        unit, appliance = instance.unit, self.context["appliance"]
        assert unit is not None  # noqa: S101 - required by the parameters
        check = check_appliance(instance, appliance)
        verdict = describe_check(check, unit.name, instance.on)
        deciding = check.deciding
        return {
            "appliance": appliance,
            "name": appliance.label,
            "status": check.status,
            "last_day": last_day(deciding) if deciding else None,
            "sentence": verdict.sentence,
            "today": verdict.today or None,
            "exemptions": [*deciding.exemptions] if deciding else [],
            "stays_if_started_before": check.stays_if_started_before,
            "deadline": describe_deadline(instance, deciding.deadline) if deciding else None,
            "limits": [
                {
                    "last_day": last_day(one),
                    "sentence": describe_limit(one, instance.on),
                    "exemptions": [*one.exemptions],
                    "deadline": describe_deadline(instance, one.deadline),
                }
                for one in check.limited
            ],
            "page": site_url(f"{reverse('stove-check')}?miejsce={unit.teryt}&piec={appliance}"),
        }
