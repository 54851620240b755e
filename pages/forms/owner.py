"""Forms and views of owners: hours and prices by their permanent link, its renewal, undoing, and requests to editors.

One link leads to all entries of its address. GET never writes.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from catalog.models import Depot, OwnerLink
from catalog.parsing.opening_hours import DAYS
from catalog.services import Refusal
from catalog.submissions import intake, objections, owner_links, tokens
from catalog.submissions.retention import CLAIM_KEEPS
from catalog.text import short_zloty
from pages.forms import fields
from pages.forms.base_and_prices import PRICES, EmailForm, FormPart, PriceFields, PublicForm
from pages.forms.depot import HOURS, HoursFields
from pages.forms.form_and_status_pages import NO_LETTER, crumbs_to, show, show_form, show_problem
from pages.forms.views import claim_path, client_of, get_published, ids_of, posted, public_form_view, refused, token_of
from pages.polish import date_digits
from prices.models import DepotPrice
from prices.owners import confirm_prices, publish_changes
from prices.price_list_files import MOST_OWNERS_ROWS, POLISH, too_many_rows
from prices.price_list_preview import EXPIRED, ConfirmForm, UploadForm, preview_price_list

REVOKED = (
    f"Nikt już nie zmieni nim godzin ani cen. Twój adres usunęliśmy; {CLAIM_KEEPS}. Nowy odnośnik dostaniesz, gdy "
    "przejmiesz wpis jeszcze raz, a redakcja to przyjmie."
)

SENT = (
    "Jeśli pod tym adresem przejęto ten wpis, wysyłamy na niego nowy odnośnik. Dotychczasowe działają, dopóki czegoś "
    f"pod nowym nie zapiszesz. {NO_LETTER} Jeśli odnośnik wygasł albo go odwołano, przejmij wpis jeszcze raz."
)

CLAIM = owner_links.OwnerLinkInvalid.onward_label

UNDONE = (
    "Poprzednie godziny i ceny znów są na stronie, poza tymi, które od tego czasu zmieniono, sprawdzono albo scalono z "
    "innym wpisem: te zostały bez zmian."
)

CLAIMED = "Redakcja sprawdzi, czy to Twoje wpisy, i odpisze na adres, z którego przejęto pierwszy wpis."

RESTORING = "Redakcja sprawdzi prośbę i odpisze. Do tego czasu wpisu nie ma w katalogu."


class OwnerForm(HoursFields, PriceFields):
    """Hours and prices of an entry. present: its newest prices."""

    title = "Godziny i ceny"
    description = "Godziny otwarcia i ceny, które właściciel zmienia sam."

    PARTS = (PRICES, HOURS._replace(folded=True))
    folds_fuels = True

    def __init__(self, posted: Any = None, *, depot: Depot, present: Sequence[DepotPrice], **options: Any) -> None:
        self.stored = fields.written_days(depot.hours, depot.opening_hours)
        # What the page showed: hours that were saved since, in another tab, are not typed here.
        days = {day: (posted or {}).get(f"initial-{day}", written) for day, written in self.stored.items()}
        super().__init__(posted, depot=depot, initial=days, **options)
        for price in present:
            now = f"Teraz {short_zloty(price.price)}/{price.unit}, z dnia {date_digits(price.day)}."
            self.fields[f"price-{price.fuel}"].help_text = now

    @property
    def shown_hours(self) -> dict[str, str]:
        """Hidden fields with the hours that the page shows."""
        return {f"initial-{day}": self.initial[day] for day in DAYS}

    def clean(self) -> dict[str, Any]:
        left_alone = [day for day in DAYS if day not in self.changed_data]
        self.cleaned_data |= {day: fields.read_day(self.stored[day]) for day in left_alone}
        return super().clean()

    def hours(self) -> dict[str, Any]:
        """Return the hours by name of `Depot.PUBLIC_FIELDS`; an empty dict for unchanged ones."""
        if not any(day in self.changed_data for day in DAYS):
            return {}
        return {name: self.cleaned_data[name] for name in ("hours", "opening_hours")}


class PriceListForm(UploadForm):
    def clean_import_file(self) -> Any:
        file = super().clean_import_file()
        if len(self.table.rows) > MOST_OWNERS_ROWS:
            raise too_many_rows(MOST_OWNERS_ROWS)
        return file


def label_of(depot: Depot) -> str:
    """Name and address: branches have one name and may stand in one town. Select the municipality with the depot."""
    return f"{depot.name}, {depot.address}"


class BranchesForm(PublicForm):
    """Claim of further entries by an owner. nearby: published entries with the same NIP, of `find_branches`."""

    title = "Pozostałe składy"
    description = "Przejęcie innych wpisów tej samej firmy."

    branches = forms.MultipleChoiceField(
        label="Wpisy z tym samym NIP-em", widget=forms.CheckboxSelectMultiple, required=False
    )
    numbers = fields.Message(
        label="Inne wpisy",
        max_length=1000,
        help_text="Wklej adresy ich stron albo numery, każdy w osobnym wierszu.",
        error_messages=fields.required("Wskaż co najmniej jeden wpis."),
    )
    agreed = forms.BooleanField(
        label="To składy mojej firmy", error_messages=fields.required("Zaznacz to pole, jeśli to składy Twojej firmy.")
    )

    PARTS = (FormPart("Które wpisy?", ("branches", "numbers", "agreed")),)

    def __init__(self, posted: Any = None, *, nearby: Sequence[Any], **options: Any) -> None:
        super().__init__(posted, **options)
        if not nearby:
            del self.fields["branches"]
            self.fields["numbers"].required = True
            return
        field: Any = self.fields["branches"]
        waiting = " (czeka na decyzję redakcji)"
        field.choices = [(str(depot.pk), label_of(depot) + waiting * depot.is_claimed) for depot in nearby]

    def clean_numbers(self) -> list[int]:
        typed = re.sub(r"(?<![^\s,;])nr\.?\s*(?=[0-9])", "", self.cleaned_data["numbers"], flags=re.IGNORECASE)
        rows = re.findall(r"[^\s,;]+", typed)
        numbers = [re.fullmatch(r"(?:(?:\S*/)?sklad/|#)?([0-9]{1,9})(?:[-/]\S*)?", row) for row in rows]
        if unclear := [row for row, number in zip(rows, numbers, strict=True) if number is None]:
            raise forms.ValidationError(f"To nie jest adres strony składu ani numer: {unclear[0][:60]}.")
        return [int(number[1]) for number in numbers if number]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        chosen = {*map(int, data.get("branches", ())), *data.get("numbers", ())}
        data["depots"] = sorted(chosen)
        if not self.errors and not chosen:
            self.add_error(None, self.fields["numbers"].error_messages["required"])
        return data


class RenewForm(EmailForm):
    title = "Nowy odnośnik właściciela"
    description = "Nowy odnośnik do zmiany godzin i cen."

    help_texts = {"email": "Ten, z którego przejęto wpis."}

    PARTS = (FormPart("Kontakt", ("email",)),)


class ObjectionForm(PublicForm):
    title = "Sprzeciw właściciela"
    description = "Sprzeciw właściciela wobec przejęcia albo usunięcia wpisu przez kogoś innego."

    objection = fields.Message(
        label="Dlaczego", max_length=objections.MAX_OBJECTION, help_text="Przeczyta to tylko redakcja."
    )

    PARTS = (FormPart("Twój sprzeciw", ("objection",)),)


class RestoreForm(PublicForm):
    title = "Przywróć wpis"
    description = "Prośba o przywrócenie usuniętego wpisu."

    message = fields.Message(label="Dlaczego", help_text="Przeczyta to tylko redakcja.")

    PARTS = (FormPart("Twoja prośba", ("message",)),)


class EntryIsGone(Refusal):
    """What was sent is about an entry that the owner no longer has; prices of one must not become those of another."""

    title = "Tego składu nie ma już pod Twoim odnośnikiem"
    reason = "Odkąd otwarto tę stronę, wpis usunięto albo przejął go ktoś inny. Niczego nie zapisaliśmy."
    onward, onward_label = "owner", "Wróć do swoich składów"


def owner_path(token: str, depot: Depot) -> str:
    """Return the path of the page behind an owner's link, about one of the owner's entries."""
    return f"{tokens.OWNER.path_of(token)}&sklad={depot.pk}"


def chosen_entry(request: HttpRequest, token: str, link: OwnerLink, owned: Mapping[int, OwnerLink]) -> Depot:
    """Return the entry that a request names, of a merged one the survivor; that of the link if it names none.

    Raises EntryIsGone where something is to be saved for an entry that the owner no longer has.
    """
    numbers = ids_of([token_of(request, "sklad")])
    survivors = Depot.objects.filter(pk__in=numbers).values_list("merged_into", flat=True)
    entry = next((owned[key] for key in chain(numbers, survivors) if key and key in owned), None)
    about_link = {"odwolaj", "poprzedni"} & request.POST.keys()
    if numbers and entry is None and request.method == "POST" and not about_link:
        raise EntryIsGone(token)
    return (entry or link).depot


@public_form_view
def owner(request: HttpRequest) -> HttpResponse:
    """Hours and prices of the entries whose owner has the link; they are public as soon as they are saved."""
    token, now, sent = token_of(request, "odnosnik"), timezone.now(), request.POST
    link = owner_links.read_link(token, on=now)
    owned = owner_links.read_branches(link)
    depot = chosen_entry(request, token, link, owned)
    if "odwolaj" in sent:
        owner_links.revoke_links(OwnerLink.objects.filter(email_hash=link.email_hash), on=now)
        return show_problem(request, 200, "Odnośnik odwołany", REVOKED, link=claim_path(depot.pk), link_label=CLAIM)
    if "poprzedni" in sent:
        owner_links.end_former(link, token)
        return HttpResponseRedirect(owner_path(token, depot))
    prices = list(DepotPrice.objects.newest(timezone.localdate(now)).filter(depot__in=owned))
    branches = {key: [price for price in prices if price.depot_id == key] for key in owned}
    without_form = {"potwierdz", "plik", "wczytaj"} & sent.keys()
    typed = None if without_form else posted(request)
    form = OwnerForm(typed, depot=depot, present=branches[depot.pk], path=request.path, on=now)
    done = HttpResponseRedirect(f"{owner_path(token, depot)}&zapisano=1")
    upload_error = problem = ""
    try:
        if "potwierdz" in sent:
            confirm_prices(token=token, prices=ids_of(sent.getlist("cena"))[:MOST_OWNERS_ROWS], on=now)
            return done
        if without_form:
            return read_price_list(request, token, depot, {key: row.depot for key, row in owned.items()})
        if form.is_valid():
            quotes = [(depot, quote) for quote in form.quotes()]
            publish_changes(token=token, depot=depot, hours=form.hours(), quotes=quotes, on=now)
            return done
    except owner_links.OwnerLinkInvalid:
        raise
    except forms.ValidationError as error:
        upload_error = " ".join(error.messages)
    except Refusal as refusal:
        problem = refusal.reason
    return show_form(
        request,
        "owner",
        form,
        problem=problem,
        status=400 if request.method == "POST" else 200,
        token=token,
        shown=depot,
        prices=branches[depot.pk],
        outdated=outdated(branches[depot.pk], form.today),
        all_outdated=[price for own in branches.values() for price in outdated(own, form.today)],
        labels={key: label_of(row.depot) for key, row in owned.items()},
        columns=POLISH,
        branches_path=f"{reverse('owner-branches')}?odnosnik={token}",
        saved="zapisano" in request.GET,
        former_works=owner_links.is_renewed(link, token),
        upload_error=upload_error,
    )


def outdated(prices: Sequence[DepotPrice], today: date) -> Sequence[DepotPrice]:
    """Return prices that can be confirmed: not all are of today."""
    return prices if any(price.day < today for price in prices) else ()


def read_price_list(request: HttpRequest, token: str, depot: Depot, own: Mapping[int, Depot]) -> HttpResponse:
    """Answer with the preview of an owner's file, or publish the confirmed one. Raises ValidationError for neither."""
    now, own = timezone.now(), {depot.pk: depot, **own}
    confirmed = "wczytaj" in request.POST
    form: Any = ConfirmForm(request.POST) if confirmed else PriceListForm(request.POST, request.FILES)
    if not form.is_valid():
        raise forms.ValidationError(EXPIRED if confirmed else [*form.errors.values()])
    preview = preview_price_list(form.table, today=timezone.localdate(now), own=own)
    if preview.error:
        raise forms.ValidationError(preview.error)
    if confirmed and preview.quotes and preview.seen == form.cleaned_data["seen"]:
        publish_changes(token=token, depot=depot, hours={}, quotes=preview.quotes, on=now)
        return HttpResponseRedirect(f"{owner_path(token, depot)}&zapisano=1")
    return show(
        request,
        "owner_list",
        depot,
        title=f"Cennik z pliku: {depot.name}",
        description="Podgląd cennika przed wczytaniem.",
        preview=preview,
        confirm=ConfirmForm(initial={"packed": form.cleaned_data["packed"], "seen": preview.seen}),
        token=token,
        depot_id=depot.pk,
        back=owner_path(token, depot),
    )


@public_form_view
def claim_branches(request: HttpRequest) -> HttpResponse:
    """Claim of further entries by the link of one; they wait for an editor."""
    token, now = token_of(request, "odnosnik"), timezone.now()
    link = owner_links.read_link(token, on=now)
    nearby = intake.find_branches(link)
    form = BranchesForm(posted(request), nearby=nearby, path=request.path, on=now)
    if form.is_valid():
        depots, client = form.cleaned_data["depots"], client_of(request)
        try:
            intake.claim_branches(link=link, depots=depots, client=client, on=now)
        except intake.BranchRefused as refusal:
            form.add_error("numbers", refusal.reason)
        else:
            onward = {"link": owner_path(token, link.depot), "link_label": EntryIsGone.onward_label}
            return show_problem(request, 200, "Wysłane do redakcji", CLAIMED, **onward)
    return show_form(request, "branches", form, link.depot, token=token)


@public_form_view
def undo(request: HttpRequest) -> HttpResponse:
    """The link of the letter about a change. GET shows the changes, POST undoes one."""
    token, now = token_of(request, "znak"), timezone.now()
    if request.method == "POST":
        number = next(iter(ids_of([token_of(request, "cofnij")])), 0)
        owner_links.undo_change(token=token, decision=number, on=now)
        return show_problem(
            request, 200, "Zmiany cofnięte", UNDONE, link=tokens.CHANGE.path_of(token), link_label="Wróć"
        )
    return show(
        request,
        "undo",
        title="Zmiany Twoim odnośnikiem",
        description="Zmiany godzin i cen, które można cofnąć.",
        changes=owner_links.find_undoable(token, on=now),
        token=token,
    )


@public_form_view
def restore(request: HttpRequest) -> HttpResponse:
    """The link of the letter about a deletion: its author asks for the entry back, an editor decides."""
    token, now = token_of(request, "znak"), timezone.now()
    deletion = intake.get_restorable(token)
    form = RestoreForm(posted(request), path=request.path, on=now)
    if form.is_valid():
        text, client = form.cleaned_data["message"], client_of(request)
        intake.ask_restoring(token=token, text=text, client=client, on=now)
        return show_problem(request, 200, "Prośba wysłana", RESTORING)
    name = deletion.depot.name if deletion.depot else ""
    return show_form(request, "restore", form, token=token, depot_name=name)


@public_form_view
def renew(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Have an owner sent a new link. Answer and work are the same whether or not the address is an owner's."""
    depot = get_published(depot_id)
    form = RenewForm(posted(request), depot=depot, path=request.path, on=timezone.now())
    if form.is_valid():
        owner_links.request_link(depot=depot, email=form.cleaned_data["email"], on=form.on)
        return show_problem(request, 200, "Sprawdź pocztę", SENT, link=claim_path(depot.pk), link_label=CLAIM)
    return show_form(request, "renew", form, token="", breadcrumbs=crumbs_to(depot))


@public_form_view
def object_to_claim(request: HttpRequest) -> HttpResponse:
    token, now = token_of(request, "znak"), timezone.now()
    claim = objections.get_claim(token)
    form = ObjectionForm(posted(request), path=request.path, on=now)
    if form.is_valid():
        objections.object_to_claim(claim=claim, text=form.cleaned_data["objection"], on=now)
        return refused(request, objections.AlreadyObjected(claim.pk))
    name = claim.depot.name if claim.depot else ""
    return show_form(request, "objection", form, token=token, depot_name=name, claim=claim)
