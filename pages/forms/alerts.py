"""Letters that readers ask for: the form, the confirmation, and the page on which a reader changes or ends them.

GET never writes, as mail servers open links to scan them.
"""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from catalog.depots import fuels
from catalog.models import Subscription
from catalog.submissions import gone_reports_and_subscriptions as subscriptions
from catalog.submissions import limits, tokens
from catalog.submissions.retention import KEPT_SUBSCRIBED
from fueldepot.http.links import site_url
from fueldepot.http.params import MAX_VALUE_LENGTH
from pages import alerts
from pages.forms import fields
from pages.forms.base_and_prices import EmailForm, FormPart
from pages.forms.form_and_status_pages import NO_LETTER, crumbs_to, show, show_form, show_problem
from pages.forms.views import client_of, ids_of, posted, public_form_view, token_of
from pages.home_and_voivodeship import voivodeships_by_name
from pages.polish import day
from pages.stove_check import NOT_FOUND, find_place

SENT = f"Wysyłamy odnośnik do potwierdzenia. Działa {limits.LINK_HOURS} godzin. {NO_LETTER}"

ENDED = "Nie napiszemy więcej. Twój adres usunęliśmy."

UNCONFIRMED = (
    "Napiszemy dopiero, gdy potwierdzisz nową prośbę odnośnikiem z wiadomości. Bez tego usuniemy Twój adres, gdy "
    "odnośnik wygaśnie."
)


class AlertsForm(EmailForm):
    """A place for its rules, a fuel with a voivodeship for its median, or both."""

    title = "Powiadomienia"
    description = "Napiszemy, gdy zbliży się termin, zmienią się przepisy albo cena opału."

    place = fields.Line(
        label="Miejscowość lub kod pocztowy",
        required=False,
        max_length=MAX_VALUE_LENGTH,
        help_text="Napiszemy {}, {} i {} dni przed każdym terminem i gdy zmienią się przepisy.".format(*alerts.STEPS),
    )
    fuel = forms.ChoiceField(label="Paliwo", required=False, choices=[("", "nie wybieram"), *fuels.choices()])
    voivodeship = forms.ChoiceField(label="Województwo", required=False)

    PARTS = (
        FormPart("Terminy i przepisy", ("place", "teryt")),
        FormPart(
            "Ceny",
            ("fuel", "voivodeship"),
            f"Napiszemy, gdy mediana zmieni się o {alerts.MOVED * 100:.0f}% albo więcej.",
        ),
        FormPart("Kontakt", ("email",)),
    )
    help_texts = {"email": "Wyślemy na niego odnośnik do potwierdzenia. Nie publikujemy go."}

    def __init__(self, posted: Any = None, **options: Any) -> None:
        super().__init__(posted, **options)
        unit, _, _ = find_place(self.initial.get("place", ""))
        self.initial["place"] = "" if unit is None else unit.name if find_place(unit.name)[0] == unit else unit.teryt
        # For search.js, which adds the code of the suggestion that was picked as `teryt`.
        self.fields["place"].widget.attrs |= {"data-locations": reverse("v1:locations"), "autocomplete": "off"}
        areas = [(area.teryt, area.name) for area in voivodeships_by_name()]
        self.fields["voivodeship"].choices = [("", "nie wybieram"), *areas]  # type: ignore[attr-defined]
        self.ask_which(self.data.get("place", ""), self.data.get("teryt", ""))

    def ask_which(self, text: str, teryt: str) -> None:
        """Add the places of an ambiguous name to choose from. teryt: of the chosen one, which stays chosen."""
        unit, _, _ = find_place(text, teryt)
        named, options, _ = find_place(text)
        choices = {place.teryt: f"{place.label} ({place.description})" for place in options}
        if named is None and choices and (unit is None or unit.teryt in choices):
            self.fields["teryt"] = forms.ChoiceField(
                label="Które miejsce masz na myśli?",
                widget=forms.RadioSelect,
                choices=[*choices.items()],
                error_messages=fields.required("Takich miejsc jest kilka. Wybierz jedno albo dopisz gminę."),
            )

    def clean_place(self) -> str:
        """Return the code of the municipality, "" for none, and for one of several until it is chosen."""
        text: str = self.cleaned_data["place"]
        unit, _, _ = find_place(text, self.data.get("teryt", ""))
        if text and unit is None and "teryt" not in self.fields:
            raise forms.ValidationError(NOT_FOUND)
        return unit.teryt if unit else ""

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if bool(data.get("fuel")) != bool(data.get("voivodeship")):
            self.add_error("voivodeship", "Mediana ceny wymaga paliwa i województwa.")
        elif not (data.get("place") or data.get("fuel") or self.errors):
            self.add_error("place", "Wpisz miejsce albo wybierz paliwo i województwo.")
        return data


@public_form_view
def ask(request: HttpRequest) -> HttpResponse:
    """Ask for letters. `?gmina=`, `?paliwo=` and `?wojewodztwo=` (2 digits) prefill the form."""
    chosen = {"place": "gmina", "fuel": "paliwo", "voivodeship": "wojewodztwo"}
    initial = {name: request.GET.get(parameter, "")[:MAX_VALUE_LENGTH] for name, parameter in chosen.items()}
    form = AlertsForm(posted(request), path=request.path, on=timezone.now(), initial=initial)
    if form.is_valid():
        subscriptions.request_letters(
            email=form.cleaned_data["email"],
            client=client_of(request),
            teryt=form.cleaned_data["place"],
            fuel=form.cleaned_data["fuel"],
            voivodeship=form.cleaned_data["voivodeship"],
            on=form.on,
        )
        return show_problem(request, 200, "Sprawdź pocztę", SENT)
    return show_form(request, "alerts", form, breadcrumbs=crumbs_to(None))


@public_form_view
def confirm(request: HttpRequest) -> HttpResponse:
    """The link of the letter. GET shows what it confirms, POST confirms."""
    token, now = token_of(request, "odnosnik"), timezone.now()
    subscription = subscriptions.get_requested(token)
    if request.method == "POST":
        content = alerts.present(subscription, timezone.localdate(now))
        subscriptions.confirm_subscription(subscription=subscription, content=content, on=now)
        return HttpResponseRedirect(tokens.READER.url(subscription.email_hash))
    return show_wishes(request, "alerts_confirm", "Potwierdź powiadomienia", [subscription], token)


@public_form_view
def mine(request: HttpRequest) -> HttpResponse:
    """All letters to one address: POST ends one of them or all, or goes on with them."""
    token = token_of(request, "znak")
    everything = subscriptions.of_reader(token)
    subscribed = everything.confirmed()
    if request.method == "POST":
        if "przedluz" in request.POST:
            subscribed.update(confirmed_at=timezone.now(), asked_at=None)
        elif "wszystko" in request.POST:
            everything.delete()
        else:
            subscribed.filter(pk__in=ids_of(request.POST.getlist("koniec"))).delete()
        return HttpResponseRedirect(site_url(tokens.READER.path_of(token)))
    rows = list(subscribed)
    if not rows:
        return ended(request, UNCONFIRMED if everything.exists() else ENDED)
    return show_wishes(request, "alerts_mine", "Twoje powiadomienia", rows, token)


@csrf_exempt
@public_form_view
def end(request: HttpRequest) -> HttpResponse:
    """End all letters to one address by the POST of a mail program (RFC 8058), which has no cookie and no form."""
    token = request.GET.get("znak", "")[:500]
    if request.method != "POST":
        return HttpResponseRedirect(site_url(tokens.READER.path_of(token)))
    subscriptions.of_reader(token).delete()
    return ended(request, ENDED)


def ended(request: HttpRequest, text: str) -> HttpResponse:
    """Say that a reader gets no letters; also where there were none any more."""
    again = {"link": reverse("alerts"), "link_label": subscriptions.SubscriptionNotFound.onward_label}
    return show_problem(request, 200, "Koniec powiadomień", text, **again)


def show_wishes(request: HttpRequest, template: str, title: str, rows: list[Subscription], token: str) -> HttpResponse:
    """Show subscriptions to confirm, or those of a reader. token: of the link."""
    return show(
        request,
        template,
        title=title,
        description="O czym piszemy na Twój adres.",
        wishes=[
            {
                "number": row.pk,
                "about": alerts.describe_subscription(row),
                # The day on which we ask again.
                "until": day(timezone.localdate(row.confirmed_at + KEPT_SUBSCRIBED)) if row.confirmed_at else "",
            }
            for row in rows
        ],
        token=token,
        is_asked=any(row.asked_at for row in rows),
    )
