"""Pages of submissions: form, status, confirmation, problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.urls import reverse
from django.utils import timezone

from catalog.links import depot_path
from catalog.models import Depot, Municipality, Submission
from catalog.submissions import field_groups, retention
from catalog.submissions.letters import RETRY
from catalog.submissions.limits import LETTERS_PER_MAILBOX, LETTERS_PER_SUBMISSION, mailbox_free_at, next_letter_at
from catalog.submissions.tokens import LINK_LIFE, STATUS
from catalog.text import masked_address
from pages.dates import day, moment, until
from pages.depots import crumbs_of
from pages.forms.public_form import DEMONSTRATION, KINDS, FormTexts, PublicForm
from pages.page import INVENTED_DEPOT, Crumb, Page
from pages.polish import counted
from prices.submissions import describe_price, prices_from_json

TITLES = {
    Submission.State.UNCONFIRMED: "Sprawdź pocztę",
    Submission.State.WAITING: "Zgłoszenie potwierdzone",
    Submission.State.PASSED_ON: "Zgłoszenie potwierdzone",
    Submission.State.ACCEPTED: "Zgłoszenie przyjęte",
    Submission.State.REJECTED: "Zgłoszenie odrzucone",
    Submission.State.SUPERSEDED: "Zgłoszenie nieaktualne",
    Submission.State.WITHDRAWN: "Zgłoszenie wycofane",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledPage(Page):
    """A page with a form. problem: why it was refused, beyond errors of fields. depot_name: "" for a new depot."""

    demonstration_notice = INVENTED_DEPOT

    form: PublicForm
    depot_name: str
    depot_path: str
    problem: str = ""

    @property
    def general(self) -> list[str]:
        """Errors of no field."""
        return [*([self.problem] if self.problem else []), *self.form.non_field_errors()]

    @property
    def mistake_count(self) -> int:
        return len(self.form.mistakes) + len(self.general)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage(FilledPage):
    """The form of a submission. outlines: path of the GeoJSON around the depot, for the map of its position."""

    kind: FormTexts
    demonstration_note: str = ""
    outlines: str = ""


@dataclass(frozen=True, slots=True)
class StatusStep:
    """A step of a submission. when: in Polish. done: whether it is complete."""

    label: str
    when: str
    done: bool = True


@dataclass(frozen=True, slots=True)
class StatedPart:
    """A submission of a visit, for its author. differences: of a correction. lines: (label, value), of other kinds.

    steps: since its confirmation. left: names of the fields that an editor did not accept.
    withdrawable: whether its author may withdraw it.
    """

    submission: Submission
    differences: Sequence[Mapping[str, str]]
    lines: tuple[tuple[str, str], ...]
    steps: tuple[StatusStep, ...] = ()
    left: tuple[str, ...] = ()
    withdrawable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage(Page):
    """The submissions of a visit, for their author. steps: shared by all of them.

    token: of the confirmation, "" on the status page. again: when the e-mail can be sent again, "" for now; of one that
    has not left, when it is sent. leaving: it is about to be sent. failed: it could not be sent. held_back: it waits,
    because the mailbox has reached its hourly limit. form: corrects the address, None once it is confirmed.
    """

    demonstration_notice = INVENTED_DEPOT
    outlines: ClassVar[str] = ""  # the form that corrects the address has no map

    submission: Submission
    depot_name: str
    depot_path: str
    parts: tuple[StatedPart, ...]
    steps: tuple[StatusStep, ...] = ()
    hours_valid: int = LINK_LIFE // timedelta(hours=1)
    token: str = ""
    button: str = ""
    leaving: bool = False
    failed: bool = False
    held_back: bool = False
    resendable: bool = False
    again: str = ""
    form: PublicForm | None = None
    links_per_mailbox: int = LETTERS_PER_MAILBOX

    @property
    def address(self) -> str:
        """The address of the author, which only its first letter and its domain tell."""
        return masked_address(self.submission.email)

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(part.submission.kind for part in self.parts)

    @property
    def mixed(self) -> bool:
        """Whether the submissions have different states."""
        return len({_standing(part.submission) for part in self.parts}) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage(Page):
    """A page that explains why something failed, with a link to continue."""

    text: str
    link: str
    link_label: str


def form_page(texts: FormTexts, form: PublicForm, path: str, depot: Depot | None, *, problem: str = "") -> FormPage:
    """Return the page of a form. Select the depot's municipality and voivodeship with it."""
    demonstration = depot is not None and depot.source == Depot.Source.DEMO
    return FormPage(
        title=form_title(texts.title if depot is None else f"{texts.title}: {depot.name}", form, problem),
        description=texts.intro,
        path=path,
        breadcrumbs=_crumbs(depot),
        demonstration=demonstration,
        indexed=False,
        form=form,
        kind=texts,
        depot_name="" if depot is None else depot.name,
        depot_path="" if depot is None else depot_path(depot.pk, depot.name),
        problem=problem,
        outlines="" if depot is None else _outlines(depot.municipality),
        demonstration_note=DEMONSTRATION if demonstration and texts is KINDS[Submission.Kind.CORRECT] else "",
    )


def status_page(
    submission: Submission, parts: Sequence[Submission], now: datetime, form: PublicForm | None = None
) -> SubmissionPage:
    """Return the status page of a submission. parts: all submissions of its visit. form: corrects its address.

    Select the depot, its municipality and voivodeship with them.
    """
    waiting = submission.state == Submission.State.UNCONFIRMED
    unsent = waiting and submission.mailed_at is None
    tried_at = submission.letter_tried_at if unsent else None
    failed = tried_at is not None and tried_at not in submission.letters_at
    if tried_at is not None:
        next_at: datetime | None = tried_at + RETRY
    elif unsent:
        next_at = mailbox_free_at(submission.mailbox_hash, now)
    else:
        next_at = next_letter_at(submission.letters_at)
    held_back = unsent and tried_at is None and next_at is not None
    leaving = unsent and not failed and not held_back
    title = TITLES[Submission.State(submission.state)]
    if held_back:
        title = "Wiadomość wyślemy później"
    elif failed:
        title = "Nie udało się wysłać wiadomości"
    elif len({_standing(part) for part in parts}) > 1:
        title = "Twoje zgłoszenie"
    return _submission_page(
        submission,
        title=title,
        path=STATUS.path(submission.pk),
        steps=_common_steps(submission, leaving=leaving),
        stated=[_stated(part, now) for part in parts],
        leaving=leaving,
        failed=failed,
        held_back=held_back,
        resendable=waiting and not unsent and submission.mails_sent < LETTERS_PER_SUBMISSION,
        again=until(next_at, now) if next_at and now < next_at else "",
        form=form if waiting else None,
    )


def confirmation_page(submission: Submission, parts: Sequence[Submission], token: str) -> SubmissionPage:
    """Return the page that asks for the confirmation. Select the same rows as for `status_page`."""
    return _submission_page(
        submission,
        title="Potwierdź zgłoszenie",
        path=reverse("submission-confirm"),
        stated=[_stated(part, None) for part in parts],
        token=token,
        button="Potwierdzam",
    )


def problem_page(title: str, text: str, *, link: str = "", link_label: str = "") -> ProblemPage:
    """Return a page that explains a problem. link, link_label: to continue; by default the home page."""
    return ProblemPage(
        title=title,
        description=text,
        path="",
        indexed=False,
        text=text,
        link=link or reverse("home"),
        link_label=link_label if link else "Strona główna",
    )


def form_title(title: str, form: PublicForm, problem: str = "") -> str:
    """Return the title of a page with a form, which says where something is to be corrected."""
    return f"Popraw odpowiedzi – {title}" if problem or form.errors else title


def _submission_page(
    submission: Submission, *, title: str, path: str, stated: Sequence[StatedPart], **more: Any
) -> SubmissionPage:
    depot = submission.depot
    if depot is not None and depot.publication != Depot.Publication.PUBLISHED:
        depot = None  # its name may be a person's
    return SubmissionPage(
        title=title,
        description=title,
        path=path,
        breadcrumbs=_crumbs(depot),
        demonstration=depot is not None and depot.source == Depot.Source.DEMO,
        indexed=False,
        submission=submission,
        depot_name="" if depot is None else depot.name,
        depot_path="" if depot is None else depot_path(depot.pk, depot.name),
        parts=tuple(stated),
        **more,
    )


def _stated(submission: Submission, now: datetime | None) -> StatedPart:
    """Return a submission for its author. now: None before the confirmation, which leaves out the steps."""
    price = submission.kind == Submission.Kind.PRICE
    names = {} if price else field_groups.municipalities(submission.stored, submission.proposed)
    differences = [] if price else field_groups.differences(submission.stored, submission.proposed, names)
    return StatedPart(
        submission=submission,
        differences=differences if submission.kind == Submission.Kind.CORRECT else (),
        lines=_price_lines(submission) if price else tuple((row["label"], row["after"]) for row in differences),
        steps=() if now is None else (*_question_steps(submission), *_own_steps(submission, now)),
        left=tuple(
            row["label"]
            for row in differences
            if submission.kind == Submission.Kind.CORRECT
            and submission.state == Submission.State.ACCEPTED
            and row["name"] not in submission.accepted_fields
        ),
        withdrawable=submission.is_undecided,
    )


def _price_lines(submission: Submission) -> tuple[tuple[str, str], ...]:
    """Return the submitted prices in Polish, with the decisions on them; nothing once they were erased."""
    proposed = submission.proposed
    outcomes = proposed.get("outcomes") or proposed.get("refused") or []
    refused = {fuel: reason for fuel, _, reason in outcomes if reason}
    accepted = {fuel for fuel, _, reason in outcomes if not reason}
    lines = []
    for fuel, value in map(describe_price, prices_from_json(proposed)):
        if fuel in refused:
            value += f"\nnieprzyjęta: {refused[fuel]}"
        elif fuel in accepted:
            value += "\nprzyjęta"
        lines.append((fuel, value))
    return tuple(lines)


def _standing(submission: Submission) -> str:
    """Return the state of a submission, WAITING for all that wait for an editor."""
    return Submission.State.WAITING if submission.is_undecided else submission.state


def _common_steps(submission: Submission, *, leaving: bool) -> tuple[StatusStep, ...]:
    """Return the steps from the form to the confirmation. leaving: whether the e-mail is about to be sent."""
    sent = submission.mailed_at
    unsent = "właśnie wychodzi" if leaving else "jeszcze nie wyszła"
    closed = submission.state in {Submission.State.SUPERSEDED, Submission.State.WITHDRAWN}
    steps = [StatusStep("Wysłano formularz", _when(submission.created_at))]
    if sent or not closed:
        steps.append(StatusStep("Wiadomość z odnośnikiem", _when(sent) if sent else unsent, bool(sent)))
    if submission.confirmed_at:
        steps.append(StatusStep("Potwierdzono adres e-mail", _when(submission.confirmed_at)))
    elif not closed:
        until_when = (sent or submission.created_at) + LINK_LIFE
        steps.append(StatusStep("Potwierdzenie adresu e-mail", f"czekamy do {_when(until_when)}", done=False))
    return tuple(steps)


def _question_steps(submission: Submission) -> tuple[StatusStep, ...]:
    """Return the questions of editors, without their texts. Reads the questions; use `prefetch_related`."""
    steps = []
    for question in sorted(submission.questions.all(), key=lambda question: question.asked_at):
        steps.append(StatusStep("Redakcja zadała pytanie", _when(question.asked_at)))
        if question.answered_at is not None:
            steps.append(StatusStep("Odpowiedź na pytanie", _when(question.answered_at)))
        elif submission.is_undecided:
            sent = "otwórz odnośnik z wiadomości" if question.sent_at else "wiadomość jeszcze nie wyszła"
            steps.append(StatusStep("Odpowiedź na pytanie", sent, done=False))
    return tuple(steps)


def _own_steps(submission: Submission, now: datetime) -> tuple[StatusStep, ...]:
    """Return the steps from the confirmation to the erasure of personal data."""
    match submission.state:
        case Submission.State.UNCONFIRMED:
            return ()
        case Submission.State.WITHDRAWN:
            steps = [StatusStep("Wycofano na prośbę autora", _when(submission.decided_at))]
        case Submission.State.SUPERSEDED:
            steps = [StatusStep("Zastąpione nowszym zgłoszeniem albo wpisu już nie ma", _when(submission.decided_at))]
        case Submission.State.ACCEPTED:
            steps = [StatusStep("Redakcja przyjęła", _when(submission.decided_at))]
        case Submission.State.REJECTED:
            steps = [StatusStep("Redakcja odrzuciła", _when(submission.decided_at))]
        case Submission.State.PASSED_ON if submission.answered_at is not None:
            steps = [StatusStep("Redakcja sprawdziła ceny", _when(submission.answered_at))]
        case _:
            days = (now - (submission.confirmed_at or now)).days
            waits = f"czeka {counted(days, 'dzień', 'dni', 'dni')}" if days else "czeka od dziś"
            steps = [StatusStep("Decyzja redakcji", waits, done=False)]
    if submission.notification_pending:
        steps.append(StatusStep("Wiadomość o decyzji", "jeszcze nie wyszła", done=False))
    if submission.erased_at is not None:
        steps.append(StatusStep("Usunęliśmy Twoje dane", _when(submission.erased_at)))
    elif (erased_on := retention.erased_on(submission)) is not None:
        steps.append(StatusStep("Usuniemy Twoje dane", day(timezone.localdate(erased_on)), done=False))
    return tuple(steps)


def _when(value: datetime | None) -> str:
    return "" if value is None else moment(timezone.localtime(value))


def _outlines(unit: Municipality) -> str:
    """Return the path of the GeoJSON around a municipality. Select its voivodeship with it."""
    return reverse("surroundings", args=[unit.voivodeship.slug, unit.slug, unit.teryt])


def _crumbs(depot: Depot | None) -> tuple[Crumb, ...]:
    if depot is None:
        return (Crumb.home(),)
    return (*crumbs_of(depot.municipality), Crumb(depot.name, depot_path(depot.pk, depot.name)))
