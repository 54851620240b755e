"""Forms about a depot: correction of an entry, addition of a missing one, claim and deletion by its owner."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django import forms

from catalog.depots import fuels
from catalog.depots.opening_times import DAY_ABBREVIATIONS
from catalog.models import Depot, GoneReport, Municipality, Postcode, Submission, max_length
from catalog.parsing.opening_hours import DAYS
from catalog.services.editing import CONTACT
from catalog.submissions import field_groups
from catalog.submissions.intake import SubmissionPart
from catalog.submissions.limits import FARTHEST_KM
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE, distance_m
from catalog.territory.snapshot import territory
from catalog.text import counted
from pages.depots import DAY_NAMES
from pages.forms import fields
from pages.forms.base_and_prices import (
    PRICES,
    EmailForm,
    FormPart,
    InvalidFormToken,
    PriceFields,
    PublicForm,
    read_form_token,
)

POSITION_MISSING = fields.required("Położenie jest potrzebne. Jeśli się zgadza, przywróć poprzednie współrzędne.")

Role = Submission.Role

HOURS = FormPart(
    "Godziny otwarcia",
    DAYS,
    "Na przykład 7:00-15:00, 8-12 i 13-16 albo „całą dobę”. Puste pole znaczy, że tego dnia skład jest nieczynny. "
    "Jeśli nie znasz godzin, zostaw wszystkie pola puste.",
    compact=True,
)


HOURS_TOO_LONG = (
    "Godziny całego tygodnia zajmują {length}, a mieści się {limit}. Połącz przedziały, między którymi jest "
    "krótka przerwa."
)


class HoursFields(PublicForm):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for day, name in zip(DAYS, DAY_NAMES, strict=True):
            self.fields[day] = fields.Day(label=name.capitalize(), max_length=60, required=False)

    def summarise(self, bound: tuple[forms.BoundField, ...]) -> str:
        if bound[0].name != DAYS[0]:
            return super().summarise(bound)
        days = zip(DAY_ABBREVIATIONS, (field.initial for field in bound), strict=True)
        runs = [(hours, [day for day, _ in run]) for hours, run in groupby(days, key=itemgetter(1))]
        return ", ".join(
            f"{names[0]}{'–' + names[-1] if len(names) > 1 else ''} {hours}" for hours, names in runs if hours
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if all(day in data for day in DAYS):
            try:
                data["hours"], data["opening_hours"] = fields.read_week({day: data[day] for day in DAYS})
            except forms.ValidationError as error:
                self.add_error(DAYS[0], error)
                return data
            length, limit = len(data["opening_hours"]), max_length(Depot, "opening_hours")
            # Unchanged hours are not stored, and a source may have written them in fewer characters.
            if length > limit and any(day in self.changed_data for day in DAYS):
                characters = counted(length, "znak", "znaki", "znaków")
                self.add_error(DAYS[0], HOURS_TOO_LONG.format(length=characters, limit=limit))
        return data


class DepotForm(HoursFields, EmailForm):
    name = fields.DepotText(
        "name",
        label="Nazwa składu lub firmy",
        error_messages=fields.required("Wpisz nazwę, pod którą skład jest znany."),
    )
    street = fields.DepotText("street", help_text="Razem z „ul.”, „al.” albo „pl.”.")
    house_number = fields.DepotText("house_number", label="Numer")
    postcode = fields.DepotText("postcode")
    place = fields.DepotText(
        "place", required=True, error_messages=fields.required("Wpisz miejscowość, w której leży skład.")
    )
    nip = fields.DepotText("nip")
    phone = fields.DepotText("phone", help_text="Kilka numerów oddziel przecinkami.")
    website = fields.DepotText("website")
    fuels = forms.MultipleChoiceField(
        label="Paliwa", choices=fuels.choices, widget=forms.CheckboxSelectMultiple, required=False
    )
    lat = fields.Degrees(LAT_RANGE, label="Szerokość geograficzna", example="50,06143", error_messages=POSITION_MISSING)
    lon = fields.Degrees(LON_RANGE, label="Długość geograficzna", example="19,93658", error_messages=POSITION_MISSING)
    role = forms.ChoiceField(
        label="Kim jesteś?",
        choices=Role.choices,
        widget=forms.RadioSelect,
        initial=Role.READER.value,
        error_messages=fields.required("Wybierz jedną odpowiedź."),
    )
    message = fields.Message(label="Wiadomość do redakcji", help_text="Na przykład: skąd o tym wiesz.")

    PARTS: tuple[FormPart, ...] = (
        FormPart("Skład", ("name", "street", "house_number", "postcode", "place")),
        FormPart("Kontakt", CONTACT),
        FormPart("Oferta", ("fuels",)),
        HOURS,
        FormPart(
            "Położenie",
            ("lat", "lon"),
            "Stań przy składzie i użyj swojej pozycji albo wpisz współrzędne.",
            compact=True,
        ),
        FormPart("O Tobie", ("role", "message", "email")),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if ("lat" in data and "lon" in data) and (data["lat"] is None) != (data["lon"] is None):
            self.add_error("lon" if data["lon"] is None else "lat", "Podaj obie współrzędne albo żadnej.")
        return data

    def wanted(self) -> dict[str, Any]:
        """Return the submitted values by name of `Depot.PUBLIC_FIELDS`."""
        values = {name: self.cleaned_data[name] for name in Depot.PUBLIC_FIELDS if name in self.cleaned_data}
        if "nip" in values:
            values["nip"] = values["nip"] or None
        return values | {"fuels": list(fuels.in_order(values["fuels"]))}

    def submission_parts(self) -> list[SubmissionPart]:
        return [(Submission.Kind(self.kind), self.wanted())]

    def locate(self, lat: float, lon: float) -> Municipality | None:
        """Return the municipality of a position; None with an error at the field."""
        located = territory.get().boundaries.find(lat, lon)
        if located is None:
            self.add_error("lat", "Ten punkt nie leży w żadnej polskiej gminie. Sprawdź obie współrzędne.")
        return located


class CorrectForm(DepotForm):
    """Correction of an entry. Select the depot's municipality with it."""

    kind = Submission.Kind.CORRECT
    title = "Popraw dane składu"
    description = "Zmień to, co się nie zgadza, a resztę zostaw. Redakcja sprawdzi zmiany i wpisze je do katalogu."
    button = "Wyślij poprawki"
    depot: Depot

    def __init__(self, posted: Any = None, *, depot: Depot, path: str, on: datetime, **options: Any) -> None:
        displayed = depot
        # What somebody has changed since the page was opened is not typed here.
        with suppress(InvalidFormToken, Depot.DoesNotExist):
            if posted:
                displayed = depot.history.as_of(read_form_token(posted.get("stamp", ""), path, None)[1])
        initial = field_groups.values_of(displayed) | fields.written_days(displayed.hours, displayed.opening_hours)
        initial |= {"nip": displayed.nip or "", "lat": _degrees(displayed.lat), "lon": _degrees(displayed.lon)}
        super().__init__(posted, depot=depot, path=path, on=on, initial=initial, **options)
        self.fields["place"].required = False  # sources do not always name one
        self.fields["lat"].required = self.fields["lon"].required = True
        if depot.source == Depot.Source.DEMO:
            for name in CONTACT:
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if "lat" in data and "lon" in data and self._moved(data) and (located := self.locate(data["lat"], data["lon"])):
            data["municipality"] = located.teryt
            if distance_m(data["lat"], data["lon"], self.depot.lat, self.depot.lon) > FARTHEST_KM * 1000:
                self.add_error(
                    "lat",
                    f"Ten punkt leży ponad {FARTHEST_KM:.0f} km od obecnego, w gminie {located.name}. Jeśli skład się "
                    "przeniósł, zgłoś nowe miejsce jako brakujący skład.",
                )
        return data

    def wanted(self) -> dict[str, Any]:
        data, values = self.cleaned_data, super().wanted()
        # Unchanged fields keep their stored values, which cleaning may have rewritten.
        stored = field_groups.values_of(self.depot)
        values |= {name: stored[name] for name in values if name in self.fields and name not in self.changed_data}
        if self._moved(data):
            position = {name: data[name] for name in ("lat", "lon", "municipality")}
            values |= position | {"location_approximate": False}
        if not any(day in self.changed_data for day in DAYS):
            # Unchanged hours stay: the fields cannot show seasonal ones, for example.
            values |= {"hours": self.depot.hours, "opening_hours": self.depot.opening_hours}
        return values

    def _moved(self, data: Mapping[str, Any]) -> bool:
        return (_degrees(data["lat"]), _degrees(data["lon"])) != (self.initial["lat"], self.initial["lon"])


class AddForm(DepotForm):
    """Addition of a missing depot, at the given position or else at that of its postcode."""

    kind = Submission.Kind.ADD
    title = "Dodaj brakujący skład"
    description = (
        "Opisz skład, którego nie ma w katalogu. Publikujemy tylko firmy, nie osoby prywatne. Wpis doda redakcja."
    )
    button = "Wyślij"
    help_texts = {"lat": "Bez współrzędnych przyjmiemy w przybliżeniu środek kodu pocztowego."}

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if self.errors:
            return data
        code = Postcode.objects.filter(pk=data["postcode"]).first() if data["postcode"] else None
        data["location_approximate"] = data["lat"] is None
        if data["lat"] is None and code:
            data |= {"lat": code.lat, "lon": code.lon}
        elif data["lat"] is None and data["postcode"]:
            self.add_error("postcode", "Nie znamy takiego kodu pocztowego. Sprawdź go albo podaj współrzędne.")
        elif data["lat"] is None:
            self.add_error("postcode", "Podaj kod pocztowy albo współrzędne, żebyśmy wiedzieli, gdzie jest skład.")
        elif code and distance_m(data["lat"], data["lon"], code.lat, code.lon) > FARTHEST_KM * 1000:
            self.add_error("lat", f"Ten punkt leży ponad {FARTHEST_KM:.0f} km od kodu {code.pk}. Popraw jedno z nich.")
        if not self.errors and (located := self.locate(data["lat"], data["lon"])):
            data["municipality"] = located.teryt
        return data


class ClaimForm(CorrectForm, PriceFields):
    kind = Submission.Kind.CLAIM
    title = "To mój skład"
    description = (
        "Potwierdź wpis w imieniu firmy. Ceny i dane rozwiniesz niżej i poprawisz w tym samym formularzu. Po decyzji "
        "redakcji wpis dostanie status „potwierdzone przez właściciela”."
    )
    button = "Wyślij"

    role = forms.ChoiceField(
        label="Kim jesteś w tej firmie?",
        choices=[(role.value, role.label) for role in (Role.OWNER, Role.EMPLOYEE)],
        widget=forms.RadioSelect,
        error_messages=fields.required("Wybierz: właściciel lub wspólnik albo pracownik."),
    )
    claimant_nip = fields.DepotText(
        "nip",
        label="NIP firmy",
        required=True,
        error_messages=fields.required("Podaj NIP firmy, żeby redakcja mogła porównać go z wpisem."),
    )
    claimant_phone = fields.DepotText(
        "phone",
        label="Telefon do Ciebie",
        help_text="Redakcja może zadzwonić, żeby potwierdzić.",
        widget=forms.TelInput(attrs={"autocomplete": "tel"}),
    )
    message = fields.Message(label="Wiadomość do redakcji", widget=forms.Textarea(attrs={"rows": 2}))
    agreed = forms.BooleanField(
        label="Dane w tym formularzu są aktualne i mogę je potwierdzić w imieniu firmy",
        error_messages=fields.required("Zaznacz to pole. Jeśli coś się nie zgadza, popraw to w formularzu."),
    )

    PARTS = (
        FormPart(
            "Twoja firma",
            ("role", "claimant_nip", "claimant_phone"),
            "Redakcja porówna te dane z wpisem. Będzie szybciej, gdy podasz adres e-mail w domenie firmy. Danych nie "
            "publikujemy.",
        ),
        PRICES._replace(folded=True),
        FormPart("Dane składu", tuple(name for part in CorrectForm.PARTS[:3] for name in part.names), folded=True),
        *(part._replace(folded=True) for part in CorrectForm.PARTS[3:5]),
        FormPart("Potwierdzenie", ("agreed", "message", "email")),
    )

    def submission_parts(self) -> list[SubmissionPart]:
        kinds = Submission.Kind
        return [(kinds.CLAIM, {}), (kinds.CORRECT, self.wanted()), *self.price_parts()]


class DeleteForm(EmailForm):
    kind = Submission.Kind.DELETE
    title = "Usuń wpis"
    description = (
        "Wpis usuwamy na wniosek firmy, której dotyczy. Zniknie z katalogu, z API i z wyników wyszukiwania, a "
        "automatyczna aktualizacja go nie przywróci. Jeśli coś tylko się nie zgadza, lepiej popraw dane."
    )
    button = "Wyślij wniosek o usunięcie"

    role = ClaimForm.base_fields["role"]
    claimant_nip = fields.DepotText("nip", label="NIP firmy")
    claimant_phone = ClaimForm.base_fields["claimant_phone"]
    message = fields.Message(label="Dlaczego wpis ma zniknąć?", help_text="Nie musisz podawać powodu.")
    agreed = forms.BooleanField(
        label="Rozumiem, że wpis zniknie z katalogu i z API",
        error_messages=fields.required("Zaznacz to pole, jeśli wpis ma zniknąć."),
    )

    PARTS = (
        FormPart(
            "Twoja firma",
            ("role", "claimant_nip", "claimant_phone"),
            "Redakcja porówna te dane z wpisem, żeby nikt obcy nie usunął Twojego składu. Nie publikujemy ich.",
        ),
        FormPart("Usunięcie", ("agreed", "message", "email")),
    )


class GoneForm(EmailForm):
    title = "Tego składu nie ma"
    description = "Wybierz, co się stało. Nie trzeba podawać adresu e-mail. Redakcja sprawdzi to, zanim zmieni wpis."
    button = "Wyślij"

    email = fields.Email(
        label="Twój adres e-mail",
        required=False,
        help_text="Jeśli redakcja ma móc o coś zapytać. Nie publikujemy go.",
    )
    reason = forms.ChoiceField(
        label="Wybierz jedno",
        choices=GoneReport.Reason.choices,
        widget=forms.RadioSelect,
        error_messages=fields.required("Wybierz, co się stało."),
    )

    PARTS = (FormPart("Co się stało?", ("reason",)), FormPart("Kontakt", ("email",)))


def _degrees(value: float) -> str:
    """Format a coordinate for the form: at most seven decimals, a centimetre."""
    return f"{value:.7f}".rstrip("0").rstrip(".").replace(".", ",")
