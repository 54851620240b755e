"""The questions of each form, and what their answers ask for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.forms import BoundField

from catalog import boundaries, fuels, plane
from catalog.hours import DAYS
from catalog.models import Depot, DepotRequest, Municipality, Postcode
from catalog.params import LAT_RANGE, LON_RANGE
from catalog.requests import Author, proposals
from pages.depots import DAY_NAMES
from pages.forms import abuse, fields
from pages.forms.hours import HoursUnreadable, read_week, written_days
from prices.actions import PriceRefused, Quote, price_of
from prices.models import PlausibleRange

FARTHEST_KM = 30.0
"""How far a correction may move a depot, and how far a new one may lie from its postcode."""

OLDEST_PRICE = timedelta(days=31)

Role = DepotRequest.Role
FUEL_CHOICES = [(fuel.slug, fuel.name) for fuel in fuels.FUELS]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a form, under one heading. compact: short answers, one beside the other's label."""

    legend: str
    intro: str
    fields: tuple[BoundField, ...]
    compact: bool


class StrangerForm(forms.Form):
    """What every form has: an address for the link, a trap for machines, and the time it was shown.

    PARTS: headings, introductions and names of fields, in the order of the page. COMPACT: headings of compact parts.
    """

    PARTS: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    COMPACT: tuple[str, ...] = ()

    email = fields.Email(
        label="Twój adres e-mail",
        max_length=254,
        help_text="Wyślemy na niego odnośnik do potwierdzenia, a później odpowiedź. Nie publikujemy go.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    stamp = forms.CharField(widget=forms.HiddenInput, required=False, max_length=500)

    def __init__(
        self, posted: Any = None, *, path: str, on: datetime, initial: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(posted, initial=dict(initial or {}), auto_id="pole-%s")
        self.path, self.on = path, on
        self.fields[abuse.TRAP] = forms.CharField(label="Nie wypełniaj tego pola", required=False)
        self.order_fields([*(name for _, _, names in self.PARTS for name in names), "email"])

    @property
    def parts(self) -> Iterator[Part]:
        """The form as the page shows it; parts without a field are left out."""
        for legend, intro, names in self.PARTS:
            bound = tuple(self[name] for name in names if name in self.fields)
            if bound:
                yield Part(legend, intro, bound, legend in self.COMPACT)

    @property
    def trap(self) -> BoundField:
        return self[abuse.TRAP]

    @property
    def mistakes(self) -> tuple[BoundField, ...]:
        """The questions that were answered wrongly."""
        return tuple(field for field in self if field.errors and not field.is_hidden)

    @property
    def fresh_stamp(self) -> str:
        """The stamp to send with the form: the one that came, while it is good."""
        stamp = self.data.get("stamp", "") if self.is_bound else ""
        try:
            abuse.check_stamp(stamp, self.path, self.on)
        except abuse.TooFast:
            return stamp
        except abuse.StampRefused:
            return abuse.new_stamp(self.path, self.on)
        return stamp

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get(abuse.TRAP):
            self.add_error(None, "Pole na końcu formularza, niewidoczne na stronie, ma zostać puste.")
        try:
            abuse.check_stamp(data.get("stamp", ""), self.path, self.on)
        except abuse.TooFast:
            self.add_error(None, "To było bardzo szybko. Sprawdź, czy wszystko się zgadza, i wyślij jeszcze raz.")
        except abuse.StampRefused:
            self.add_error(None, "Formularz czekał zbyt długo. Sprawdź dane i wyślij go jeszcze raz.")
        return data

    def author(self, client: str) -> Author:
        """Who sent it. client: the network address."""
        data = self.cleaned_data
        return Author(
            email=data["email"],
            client=client,
            role=data.get("role", ""),
            nip=data.get("claimant_nip", ""),
            phone=data.get("claimant_phone", ""),
            message=data.get("message", ""),
        )


class DepotForm(StrangerForm):
    """The public fields of a depot, for a correction and for a new one."""

    name = fields.Line(label="Nazwa składu lub firmy", max_length=200)
    street = fields.Line(label="Ulica", max_length=120, required=False, help_text="Z „ul.”, „al.”, „pl.”, jeśli je ma.")
    house_number = fields.Line(label="Numer", max_length=30, required=False)
    postcode = fields.Postcode(label="Kod pocztowy", max_length=10, required=False)
    place = fields.Line(label="Miejscowość", max_length=120)
    nip = fields.Nip(label="NIP", max_length=20, required=False)
    phone = fields.Phone(
        label="Telefon", max_length=200, required=False, help_text="Kilka numerów oddziel przecinkami."
    )
    website = fields.Website(label="Strona internetowa", max_length=300, required=False)
    fuels = forms.MultipleChoiceField(
        label="Paliwa", choices=FUEL_CHOICES, widget=forms.CheckboxSelectMultiple, required=False
    )
    lat = fields.Degrees(
        label="Szerokość geograficzna",
        low=LAT_RANGE[0],
        high=LAT_RANGE[1],
        example="50,06143",
        required=False,
        max_length=30,
    )
    lon = fields.Degrees(
        label="Długość geograficzna",
        low=LON_RANGE[0],
        high=LON_RANGE[1],
        example="19,93658",
        required=False,
        max_length=30,
    )
    role = forms.ChoiceField(
        label="Kim jesteś?", choices=Role.choices, widget=forms.RadioSelect, initial=Role.READER.value
    )
    message = fields.Message(
        label="Wiadomość do redakcji", max_length=2000, required=False, help_text="Na przykład skąd wiesz o zmianie."
    )

    PARTS = (
        ("Skład", "", ("name", "street", "house_number", "postcode", "place")),
        ("Kontakt", "", ("nip", "phone", "website")),
        ("Oferta", "", ("fuels",)),
        (
            "Godziny otwarcia",
            "Na przykład 7:00-15:00, 8-12 i 13-16 albo „całą dobę”. Puste pole znaczy, że tego dnia jest nieczynne. "
            "Jeśli godzin nie znasz, zostaw puste wszystkie.",
            DAYS,
        ),
        (
            "Położenie",
            "Współrzędne pokaże mapa, na przykład OpenStreetMap: prawy przycisk myszy i „Pokaż adres”.",
            ("lat", "lon"),
        ),
        ("O Tobie", "", ("role", "message", "email")),
    )

    COMPACT = ("Godziny otwarcia", "Położenie")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for day, name in zip(DAYS, DAY_NAMES, strict=True):
            self.fields[day] = fields.Day(label=name.capitalize(), max_length=60, required=False)
            self.fields[day].initial = self.initial.get(day, "")

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if all(day in data for day in DAYS):
            try:
                data["hours"], data["opening_hours"] = read_week({day: data[day] for day in DAYS})
            except HoursUnreadable as error:
                self.add_error(DAYS[0], str(error))
        if ("lat" in data and "lon" in data) and (data["lat"] is None) != (data["lon"] is None):
            self.add_error("lon" if data["lon"] is None else "lat", "Podaj obie współrzędne albo żadnej.")
        return data

    def wanted(self) -> dict[str, Any]:
        """The values asked for, by name of `Depot.PUBLIC_FIELDS`."""
        data = self.cleaned_data
        plain = ("name", "street", "house_number", "postcode", "place", "phone", "website")
        values = {name: data[name] for name in plain if name in data}
        if "nip" in data:
            values["nip"] = data["nip"] or None
        values["fuels"] = list(fuels.in_order(set(data["fuels"])))
        values["hours"], values["opening_hours"] = data["hours"], data["opening_hours"]
        return values

    def locate(self, lat: float, lon: float) -> boundaries.Located | None:
        """The municipality of the given position; without one, says so at the field."""
        try:
            return boundaries.get_municipality_at(lat, lon)
        except boundaries.PointOutsideMunicipalities:
            self.add_error("lat", "Ten punkt nie leży w żadnej polskiej gminie. Sprawdź obie współrzędne.")
            return None


class CorrectForm(DepotForm):
    """What an entry should say. Reads the depot's municipality: select it."""

    def __init__(self, posted: Any = None, *, depot: Depot, **options: Any) -> None:
        self.depot = depot
        known = proposals.values_of(depot)
        initial = known | written_days(depot.hours, depot.opening_hours)
        initial |= {"nip": depot.nip or "", "lat": _degrees(depot.lat), "lon": _degrees(depot.lon)}
        super().__init__(posted, initial=initial, **options)
        self.fields["place"].required = False  # sources do not always name one
        self.fields["lat"].required = self.fields["lon"].required = True
        if depot.source == Depot.Source.DEMO:
            for name in proposals.CONTACT:
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if "lat" in data and "lon" in data and self._moved(data) and (located := self.locate(data["lat"], data["lon"])):
            data["municipality"] = located.teryt
            if _distance_km(data["lat"], data["lon"], self.depot.lat, self.depot.lon) > FARTHEST_KM:
                self.add_error(
                    "lat",
                    f"Ten punkt leży ponad {FARTHEST_KM:.0f} km od obecnego, w gminie {located.name}. Jeśli skład się "
                    "przeniósł, zgłoś nowe miejsce jako brakujący skład.",
                )
        return data

    def wanted(self) -> dict[str, Any]:
        data, values = self.cleaned_data, super().wanted()
        # What was left alone stays as it is, however a source wrote it.
        known = proposals.values_of(self.depot)
        values |= {name: known[name] for name in values if name in self.fields and name not in self.changed_data}
        if self._moved(data):
            position = {name: data[name] for name in ("lat", "lon", "municipality")}
            values |= position | {"location_approximate": False}
        if not any(day in self.changed_data for day in DAYS):
            # Hours that a week of lines cannot show, seasonal ones for example, stay as they are.
            values |= {"hours": self.depot.hours, "opening_hours": self.depot.opening_hours}
        return values

    def _moved(self, data: Mapping[str, Any]) -> bool:
        """Whether the position is another than the one shown."""
        return (_degrees(data["lat"]), _degrees(data["lon"])) != (_degrees(self.depot.lat), _degrees(self.depot.lon))


class AddForm(DepotForm):
    """A depot that the catalog lacks. Its position is given, or else that of its postcode."""

    def __init__(self, posted: Any = None, *, municipality: Municipality | None = None, **options: Any) -> None:
        super().__init__(posted, initial={"place": municipality.name if municipality else ""}, **options)
        self.fields["lat"].help_text = "Bez współrzędnych przyjmiemy w przybliżeniu środek kodu pocztowego."

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if self.errors:
            return data
        code = Postcode.objects.filter(pk=data["postcode"]).first() if data["postcode"] else None
        if data["postcode"] and code is None:
            self.add_error("postcode", "Nie znamy takiego kodu pocztowego. Sprawdź go.")
        elif data["lat"] is None and code is None:
            self.add_error("postcode", "Podaj kod pocztowy albo współrzędne, żebyśmy wiedzieli, gdzie jest skład.")
        elif data["lat"] is None and code is not None:
            data |= {"lat": code.lat, "lon": code.lon, "location_approximate": True}
        else:
            data["location_approximate"] = False
            if code and _distance_km(data["lat"], data["lon"], code.lat, code.lon) > FARTHEST_KM:
                self.add_error(
                    "lat", f"Ten punkt leży ponad {FARTHEST_KM:.0f} km od kodu {code.pk}. Popraw jedno z nich."
                )
        if not self.errors and (located := self.locate(data["lat"], data["lon"])):
            data["municipality"] = located.teryt
        return data

    def wanted(self) -> dict[str, Any]:
        position = ("lat", "lon", "location_approximate", "municipality")
        return super().wanted() | {name: self.cleaned_data[name] for name in position}


class ClaimForm(StrangerForm):
    """Who vouches for an entry."""

    role = forms.ChoiceField(
        label="Kim jesteś w tej firmie?",
        choices=[(role.value, role.label) for role in (Role.OWNER, Role.EMPLOYEE)],
        widget=forms.RadioSelect,
    )
    claimant_nip = fields.Nip(label="NIP firmy", max_length=20)
    claimant_phone = fields.Phone(
        label="Telefon", max_length=200, required=False, help_text="Redakcja może zadzwonić, żeby potwierdzić."
    )
    message = fields.Message(label="Wiadomość do redakcji", max_length=2000, required=False)
    agreed = forms.BooleanField(label="Dane we wpisie są aktualne i mogę je potwierdzić w imieniu firmy")

    PARTS = (
        (
            "Twoja firma",
            "Redakcja porówna je z wpisem; najszybciej z adresem e-mail w domenie firmy. Nie publikujemy ich.",
            ("role", "claimant_nip", "claimant_phone"),
        ),
        ("Potwierdzenie", "", ("agreed", "message", "email")),
    )


class DeleteForm(StrangerForm):
    """Who wants an entry gone."""

    role = ClaimForm.base_fields["role"]
    claimant_nip = fields.Nip(label="NIP firmy", max_length=20, required=False)
    claimant_phone = ClaimForm.base_fields["claimant_phone"]
    message = fields.Message(
        label="Dlaczego wpis ma zniknąć?", max_length=2000, required=False, help_text="Nie musisz podawać powodu."
    )
    agreed = forms.BooleanField(label="Rozumiem, że wpis zniknie z katalogu i z API")

    PARTS = (
        (
            "Twoja firma",
            "Redakcja porówna te dane z wpisem, żeby nikt obcy nie usunął Twojego składu. Nie publikujemy ich.",
            ("role", "claimant_nip", "claimant_phone"),
        ),
        ("Usunięcie", "", ("agreed", "message", "email")),
    )


class PriceForm(StrangerForm):
    """What a depot asks for a fuel."""

    fuel = forms.ChoiceField(label="Paliwo", choices=[("", "wybierz"), *FUEL_CHOICES])
    price = fields.Amount(
        label="Cena za tonę (drewno: za metr przestrzenny)",
        max_length=20,
        required=False,
        help_text="W złotych, z VAT.",
    )
    bag_price = fields.Amount(label="Albo cena worka", max_length=20, required=False, help_text="W złotych, z VAT.")
    bag_kg = fields.Amount(label="Waga worka w kilogramach", max_length=20, required=False)
    day = forms.DateField(
        label="Dzień, w którym cena obowiązywała",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d", "%d.%m.%Y"],
    )

    PARTS = (
        (
            "Cena",
            "Podaj cenę z cennika, paragonu albo rozmowy ze składem, bez transportu.",
            ("fuel", "price", "bag_price", "bag_kg", "day"),
        ),
        ("O Tobie", "", ("email",)),
    )

    def __init__(self, posted: Any = None, *, today: date, **options: Any) -> None:
        super().__init__(posted, initial={"day": today}, **options)
        self.today = today

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > self.today:
            raise forms.ValidationError("Ten dzień jeszcze nie nadszedł.")
        if day < self.today - OLDEST_PRICE:
            raise forms.ValidationError(f"Podaj cenę z ostatnich {OLDEST_PRICE.days} dni.")
        return day

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if self.errors:
            return data
        by_bag = data["bag_price"] is not None or data["bag_kg"] is not None
        if by_bag == (data["price"] is not None):
            self.add_error("price", "Podaj albo cenę za tonę, albo cenę i wagę worka.")
            return data
        try:
            price = price_of(self.quote(), self.today)
        except PriceRefused as error:
            self.add_error("bag_price" if by_bag else "price", f"{str(error).capitalize()}.")
            return data
        limits = PlausibleRange.objects.filter(pk=data["fuel"]).first()
        if limits and not limits.low <= price <= limits.high:
            unit = fuels.UNIT_NAMES[fuels.BY_SLUG[data["fuel"]].unit]
            self.add_error(
                "bag_price" if by_bag else "price",
                f"To daje {price} zł za jednostkę ({unit}). Wiarygodne ceny tego paliwa to od {limits.low:.0f} do "
                f"{limits.high:.0f} zł. Sprawdź, czy kwota nie jest za inną ilość.",
            )
        return data

    def quote(self) -> Quote:
        """What was typed."""
        data = self.cleaned_data
        return Quote(
            fuel=data["fuel"],
            day=data["day"],
            unit=fuels.BY_SLUG[data["fuel"]].unit,
            price=data["price"],
            bag_price=data["bag_price"],
            bag_kg=data["bag_kg"],
        )


def _degrees(value: float) -> str:
    """A coordinate as the form shows it: seven decimals, a centimetre."""
    return f"{value:.7f}".rstrip("0").rstrip(".").replace(".", ",")


def _distance_km(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    x, y = plane.to_plane(lat, lon)
    other_x, other_y = plane.to_plane(other_lat, other_lon)
    return float(((x - other_x) ** 2 + (y - other_y) ** 2) ** 0.5) / 1000
