"""The pages around the forms: the form itself, the state of a request, the confirmation, and what can go wrong."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.core import signing
from django.urls import reverse

from catalog import fuels
from catalog.links import depot_path
from catalog.models import Depot, DepotRequest
from catalog.requests import proposals
from catalog.requests.limits import LINKS_PER_REQUEST, next_link_at
from catalog.requests.proposals import Difference
from catalog.requests.secrecy import LINK_LIFE
from pages.depots import crumbs_of
from pages.forms.stranger import StrangerForm
from pages.page import Crumb, Page
from pages.polish import day, until, zloty
from pages.prices import PER_UNIT

_STATUS_SALT = "pages.forms.status"


@dataclass(frozen=True, slots=True)
class Sort:
    """What the site says about a kind of request. route: name of the form's route."""

    route: str
    title: str
    intro: str
    button: str


KINDS = {
    DepotRequest.Kind.CORRECT: Sort(
        "depot-correct",
        "Popraw dane składu",
        "Zmień to, co się nie zgadza, resztę zostaw. Zmiany zobaczy redakcja i to ona wpisze je do katalogu.",
        "Wyślij poprawki",
    ),
    DepotRequest.Kind.CLAIM: Sort(
        "depot-claim",
        "To mój skład",
        "Potwierdź wpis w imieniu firmy. Po decyzji redakcji dostanie status „potwierdzone przez właściciela”, a "
        "importy danych nie zmienią go bez Twojej wiedzy.",
        "Wyślij",
    ),
    DepotRequest.Kind.DELETE: Sort(
        "depot-delete",
        "Usuń wpis",
        "Wpis usuwamy na wniosek firmy, której dotyczy. Zniknie z katalogu, z API i z wyników wyszukiwania, a importy "
        "danych go nie przywrócą. Jeśli coś tylko się nie zgadza, lepiej popraw dane.",
        "Wyślij wniosek o usunięcie",
    ),
    DepotRequest.Kind.PRICE: Sort(
        "depot-price",
        "Podaj cenę",
        "Napisz, ile kosztuje opał w tym składzie. Cena liczy się do mediany po sprawdzeniu przez redakcję.",
        "Wyślij cenę",
    ),
    DepotRequest.Kind.ADD: Sort(
        "depot-add",
        "Dodaj brakujący skład",
        "Opisz skład, którego nie ma w katalogu. Publikujemy tylko firmy, nie osoby prywatne. Wpis doda redakcja.",
        "Wyślij",
    ),
}

TITLES = {
    DepotRequest.State.UNCONFIRMED: "Sprawdź pocztę",
    DepotRequest.State.WAITING: "Zgłoszenie potwierdzone",
    DepotRequest.State.PASSED_ON: "Zgłoszenie potwierdzone",
    DepotRequest.State.ACCEPTED: "Zgłoszenie przyjęte",
    DepotRequest.State.REJECTED: "Zgłoszenie odrzucone",
    DepotRequest.State.SUPERSEDED: "Zgłoszenie nieaktualne",
}

DEMONSTRATION = (
    "Ten skład jest zmyślony: możesz na nim wypróbować formularz i całą drogę zgłoszenia. Wpis demonstracyjny nie ma "
    "NIP-u, telefonu ani strony, więc tych pól tu brakuje."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage(Page):
    """A form. problem: why it was not taken, beyond the mistakes in its fields. depot_name: "" for a missing depot."""

    form: StrangerForm
    kind: Sort
    depot_name: str
    depot_path: str
    problem: str = ""
    demonstration_note: str = ""

    @property
    def general(self) -> list[str]:
        """Mistakes that belong to no field."""
        return [*([self.problem] if self.problem else []), *self.form.non_field_errors()]

    @property
    def mistake_count(self) -> int:
        return len(self.form.mistakes) + len(self.general)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPage(Page):
    """A request as its author sees it. lines: label and value, for requests that are no differences.

    token: the link to confirm with, "" where there is nothing to confirm. again: when the letter can be sent again, ""
    for now.
    """

    request: DepotRequest
    depot_name: str
    depot_path: str
    differences: tuple[Difference, ...]
    lines: tuple[tuple[str, str], ...]
    hours_valid: int = LINK_LIFE.days * 24
    token: str = ""
    button: str = ""
    failed: bool = False
    resendable: bool = False
    again: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage(Page):
    """Why something cannot be done, and where to go from here."""

    text: str
    link: str
    link_label: str


def form_page(
    kind: DepotRequest.Kind, form: StrangerForm, path: str, depot: Depot | None, *, problem: str = ""
) -> FormPage:
    """The page of a form. Reads the depot's municipality and voivodeship: select them."""
    sort = KINDS[kind]
    demonstration = depot is not None and depot.source == Depot.Source.DEMO
    wrong = problem or form.errors
    title = sort.title if depot is None else f"{sort.title}: {depot.name}"
    return FormPage(
        title=f"Popraw odpowiedzi – {title}" if wrong else title,
        description=sort.intro,
        path=path,
        crumbs=_crumbs(depot),
        demonstration=demonstration,
        indexed=False,
        form=form,
        kind=sort,
        depot_name="" if depot is None else depot.name,
        depot_path="" if depot is None else depot_path(depot.pk, depot.name),
        problem=problem,
        demonstration_note=DEMONSTRATION if demonstration and kind == DepotRequest.Kind.CORRECT else "",
    )


def status_page(request: DepotRequest, now: datetime) -> RequestPage:
    """What has become of a request. Reads the depot, its municipality and voivodeship: select them."""
    waiting = request.state == DepotRequest.State.UNCONFIRMED
    title = TITLES[DepotRequest.State(request.state)]
    if waiting and request.mailed_at is None:
        title = "Nie udało się wysłać listu"
    next_at = next_link_at(request.links_at)
    return _request_page(
        request,
        title=title,
        path=reverse("request-status", args=[status_reference(request)]),
        failed=waiting and request.mailed_at is None,
        resendable=waiting and request.mails_sent < LINKS_PER_REQUEST,
        again=until(next_at, now) if next_at and now < next_at else "",
    )


def confirmation_page(request: DepotRequest, token: str) -> RequestPage:
    """Asks for the click that makes a request count. Reads what `status_page` reads."""
    return _request_page(
        request, title="Potwierdź zgłoszenie", path=reverse("request-confirm"), token=token, button="Potwierdzam"
    )


def problem_page(title: str, text: str, *, link: str = "", link_label: str = "") -> ProblemPage:
    """A page that says why. link, link_label: where to go from here; the home page without a link."""
    return ProblemPage(
        title=title,
        description=text,
        path="",
        indexed=False,
        text=text,
        link=link or reverse("home"),
        link_label=link_label if link else "Strona główna",
    )


def status_reference(request: DepotRequest) -> str:
    """What names a request in an address, so that nobody can try the numbers of others."""
    return signing.dumps(request.pk, salt=_STATUS_SALT)


def read_reference(reference: str) -> int | None:
    """The number of a request, None when the reference is not ours or older than a link."""
    try:
        number = signing.loads(reference, salt=_STATUS_SALT, max_age=LINK_LIFE)
    except signing.BadSignature:
        return None
    return int(number)


def _request_page(
    request: DepotRequest,
    *,
    title: str,
    path: str,
    token: str = "",
    button: str = "",
    failed: bool = False,
    resendable: bool = False,
    again: str = "",
) -> RequestPage:
    depot = request.depot
    if depot is not None and depot.publication != Depot.Publication.PUBLISHED:
        depot = None  # its name may be a person's
    price = request.kind == DepotRequest.Kind.PRICE
    names = {} if price else proposals.municipalities(request.stored, request.proposed)
    differences = () if price else proposals.differences(request.stored, request.proposed, names)
    return RequestPage(
        title=title,
        description=title,
        path=path,
        crumbs=_crumbs(depot),
        demonstration=depot is not None and depot.source == Depot.Source.DEMO,
        indexed=False,
        request=request,
        depot_name="" if depot is None else depot.name,
        depot_path="" if depot is None else depot_path(depot.pk, depot.name),
        differences=differences if request.kind == DepotRequest.Kind.CORRECT else (),
        lines=_price_lines(request) if price else tuple((one.group.label, one.after) for one in differences),
        token=token,
        button=button,
        failed=failed,
        resendable=resendable,
        again=again,
    )


def _price_lines(request: DepotRequest) -> tuple[tuple[str, str], ...]:
    """A submitted price in words; nothing once it was erased."""
    said = request.proposed
    if not said:
        return ()
    fuel = fuels.BY_SLUG[said["fuel"]]
    if said["price"] is not None:
        price = f"{zloty(float(said['price']))} {PER_UNIT[fuel.unit]}"
    else:
        price = f"worek {Decimal(said['bag_kg']).normalize():f} kg za {zloty(float(said['bag_price']))}"
    return ("Paliwo", fuel.name), ("Cena", price), ("Dzień", day(date.fromisoformat(said["day"])))


def _crumbs(depot: Depot | None) -> tuple[Crumb, ...]:
    if depot is None:
        return (Crumb.home(),)
    return (*crumbs_of(depot.municipality), Crumb(depot.name, depot_path(depot.pk, depot.name)))
