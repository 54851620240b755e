"""Pages of forms and of submissions: what their templates show."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from catalog.links import depot_path
from catalog.models import Depot, Submission
from catalog.submissions import field_groups, retention
from catalog.submissions.letter_kinds import KIND_NAMES
from catalog.submissions.letters import RETRY
from catalog.submissions.limits import (
    LETTERS_PER_MAILBOX,
    LETTERS_PER_SUBMISSION,
    LINK_HOURS,
    mailbox_free_at,
    next_letter_at,
)
from catalog.submissions.tokens import STATUS
from catalog.text import counted, masked_address
from pages.depots import crumbs_of
from pages.forms.base_and_prices import PublicForm
from pages.page import INVENTED_DEPOT, INVENTED_TITLE, Crumb, Page
from pages.polish import day, moment, until
from pages.rendering import render_page
from prices.services import AS_SENT
from prices.submissions import describe_price, prices_from_json

NO_LETTER = (
    "Jeśli wiadomości nie ma, sprawdź folder ze spamem; po kilku wiadomościach w ciągu godziny następną wyślemy sami, "
    "później."
)

State = Submission.State

TITLES = {
    State.UNCONFIRMED: "Sprawdź pocztę",
    State.WAITING: "Zgłoszenie potwierdzone",
    State.PASSED_ON: "Zgłoszenie potwierdzone",
    State.ACCEPTED: "Zgłoszenie przyjęte",
    State.REJECTED: "Zgłoszenie odrzucone",
    State.SUPERSEDED: "Zgłoszenie nieaktualne",
    State.WITHDRAWN: "Zgłoszenie wycofane",
}

DECIDED = {
    State.WITHDRAWN: "Wycofano na prośbę autora",
    State.SUPERSEDED: "Zastąpione innym zgłoszeniem albo zamknięte, gdy usunięto wpis",
    State.ACCEPTED: "Redakcja przyjęła",
    State.REJECTED: "Redakcja odrzuciła",
}
"""Steps of submissions that no longer wait."""


class StatusStep(NamedTuple):
    """A step of a submission. when: in Polish. done: whether it is complete."""

    label: str
    when: str
    done: bool = True


def show(
    request: HttpRequest,
    template: str,
    depot: Depot | None = None,
    *,
    title: str,
    description: str,
    path: str | None = None,
    breadcrumbs: tuple[Crumb, ...] = (),
    status: int = 200,
    **content: Any,
) -> HttpResponse:
    """Render a template of the forms. depot: that the page names. path: of the page, None for that of the request."""
    page = Page(
        title=title,
        description=description,
        path=request.path if path is None else path,
        breadcrumbs=breadcrumbs,
        indexed=False,
        demonstration=depot is not None and depot.source == Depot.Source.DEMO,
        demonstration_title=INVENTED_TITLE,
        demonstration_notice=INVENTED_DEPOT,
    )
    name, page_of_depot = (depot.name, depot_path(depot.pk, depot.name)) if depot else ("", "")
    names = {"depot_name": name, "depot_path": page_of_depot}
    return render_page(request, f"pages/forms/{template}.html", page, status=status, **names | content)


def show_form(
    request: HttpRequest,
    template: str,
    form: PublicForm,
    depot: Depot | None = None,
    *,
    problem: str = "",
    status: int | None = None,
    **content: Any,
) -> HttpResponse:
    """Show a form, by default with status 400 once it was sent. problem: why it was refused, beyond its errors.

    depot: that the page names, by default the one that the form is about.
    """
    title = f"{form.title}: {form.depot.name}" if form.depot else form.title
    return show(
        request,
        template,
        depot or form.depot,
        title=f"Popraw odpowiedzi – {title}" if problem or form.errors else title,
        description=form.description,
        form=form,
        problem=problem,
        status=status or (400 if form.is_bound else 200),
        **content,
    )


def show_problem(
    request: HttpRequest, status: int, title: str, text: str, *, link: str = "", link_label: str = ""
) -> HttpResponse:
    """Show why something failed or what comes next. link, link_label: to continue; by default the home page."""
    onward = {"link": link or reverse("home"), "link_label": link_label if link else "Strona główna"}
    content: dict[str, Any] = {"text": text, **onward}
    return show(request, "problem", title=title, description=text, path="", status=status, **content)


def show_status(
    request: HttpRequest, submission: Submission, parts: Sequence[Submission], form: PublicForm, status: int
) -> HttpResponse:
    """Show the status page of a submission. parts: all submissions of its visit. form: corrects its address.

    Select the depot, its municipality and voivodeship with them. A letter is `leaving` when it is about to be sent,
    `failed` when it could not be, `held_back` when the mailbox has reached its hourly limit. again: when it can be sent
    again, "" for now; of one that has not left, when it is sent.
    """
    now = form.on
    waiting = submission.state == State.UNCONFIRMED
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
    # All that wait for an editor are in one state here.
    mixed = len({State.WAITING if part.is_undecided else part.state for part in parts}) > 1
    title = TITLES[State(submission.state)]
    if held_back:
        title = "Wiadomość wyślemy później"
    elif failed:
        title = "Nie udało się wysłać wiadomości"
    elif mixed:
        title = "Twoje zgłoszenie"
    return show_submission(
        request,
        "status",
        submission,
        title=title,
        path=STATUS.path(submission.pk),
        status=status,
        steps=common_steps(submission, leaving=leaving),
        parts=[describe_part(part, now) for part in parts],
        address=masked_address(submission.email),
        hours_valid=LINK_HOURS,
        links_per_mailbox=LETTERS_PER_MAILBOX,
        mixed=mixed,
        leaving=leaving,
        failed=failed,
        held_back=held_back,
        resendable=waiting and not unsent and submission.mails_sent < LETTERS_PER_SUBMISSION,
        again=until(next_at, now) if next_at and now < next_at else "",
        form=form if waiting else None,
    )


def show_confirmation(
    request: HttpRequest, submission: Submission, parts: Sequence[Submission], token: str
) -> HttpResponse:
    """Show the page that asks for the confirmation. Select the same rows as for `show_status`."""
    return show_submission(
        request,
        "confirm",
        submission,
        title="Potwierdź zgłoszenie",
        parts=[describe_part(part, None) for part in parts],
        kinds={part.kind for part in parts},
        token=token,
    )


def show_submission(
    request: HttpRequest, template: str, submission: Submission, *, title: str, **content: Any
) -> HttpResponse:
    depot = submission.depot
    if depot is not None and depot.publication != Depot.Publication.PUBLISHED:
        depot = None  # its name may be a person's
    content |= {"title": title, "description": title, "breadcrumbs": crumbs_to(depot)}
    return show(request, template, depot, submission=submission, **content)


def describe_part(submission: Submission, now: datetime | None) -> dict[str, Any]:
    """Return a submission for its author. now: None before the confirmation, which leaves out the steps.

    kind: as letters name it. differences: of a correction. lines: (label, value), of other kinds. left: names of the
    fields that an editor did not accept. withdrawable: whether its author may withdraw it.
    """
    price, correction = (submission.kind == kind for kind in (Submission.Kind.PRICE, Submission.Kind.CORRECT))
    differences = field_groups.differences(submission.stored, submission.proposed)
    accepted = submission.accepted_fields
    decided = differences if correction and submission.state == State.ACCEPTED else []
    return {
        "submission": submission,
        "kind": KIND_NAMES[Submission.Kind(submission.kind)],
        "differences": differences if correction else [],
        "lines": price_lines(submission) if price else [(row["label"], row["after"]) for row in differences],
        "steps": [] if now is None else [*question_steps(submission), *own_steps(submission, now)],
        "left": field_groups.labels({row["name"]: row for row in decided if row["name"] not in accepted}),
        "withdrawable": submission.is_undecided,
    }


def price_lines(submission: Submission) -> list[tuple[str, str]]:
    """Return the submitted prices in Polish, with the decisions on them; nothing once they were erased."""
    proposed = submission.proposed
    outcomes = {fuel: outcome for fuel, *outcome in proposed.get("outcomes") or proposed.get("refused") or []}
    lines = []
    for fuel, value in map(describe_price, prices_from_json(proposed)):
        if fuel in outcomes:
            decided, reason = outcomes[fuel]
            accepted = f"przyjęta: {decided}" if AS_SENT in decided else "przyjęta"
            value += f"\nnieprzyjęta: {reason}" if reason else f"\n{accepted}"
        lines.append((fuel, value))
    return lines


def common_steps(submission: Submission, *, leaving: bool) -> list[StatusStep]:
    """Return the steps from the form to the confirmation. leaving: whether the e-mail is about to be sent."""
    sent = submission.mailed_at
    closed = submission.state in {State.SUPERSEDED, State.WITHDRAWN}
    steps = [StatusStep("Wysłano formularz", when(submission.created_at))]
    if sent or not closed:
        unsent = "właśnie wychodzi" if leaving else "jeszcze nie wyszła"
        steps.append(StatusStep("Wiadomość z odnośnikiem", when(sent) or unsent, bool(sent)))
    if submission.confirmed_at:
        steps.append(StatusStep("Potwierdzono adres e-mail", when(submission.confirmed_at)))
    elif not closed:
        ends = when(retention.link_ends(submission))
        steps.append(StatusStep("Potwierdzenie adresu e-mail", f"czekamy do {ends}", done=False))
    return steps


def question_steps(submission: Submission) -> Iterator[StatusStep]:
    """Yield the questions of editors, without their texts. Reads the questions; use `prefetch_related`."""
    for question in sorted(submission.questions.all(), key=attrgetter("asked_at")):
        yield StatusStep("Redakcja zadała pytanie", when(question.asked_at))
        if question.answered_at is not None:
            yield StatusStep("Odpowiedź na pytanie", when(question.answered_at))
        elif submission.is_undecided:
            sent = "otwórz odnośnik z wiadomości" if question.sent_at else "wiadomość jeszcze nie wyszła"
            yield StatusStep("Odpowiedź na pytanie", sent, done=False)


def own_steps(submission: Submission, now: datetime) -> Iterator[StatusStep]:
    """Yield the steps from the confirmation to the erasure of personal data."""
    state = State(submission.state)
    if state == State.UNCONFIRMED:
        return
    if state in DECIDED:
        yield StatusStep(DECIDED[state], when(submission.decided_at))
    elif state == State.PASSED_ON and submission.answered_at is not None:
        yield StatusStep("Redakcja sprawdziła ceny", when(submission.answered_at))
    else:
        days = (timezone.localdate(now) - timezone.localdate(submission.confirmed_at or now)).days
        waits = f"czeka {counted(days, 'dzień', 'dni', 'dni')}" if days else "czeka od dziś"
        yield StatusStep("Decyzja redakcji", waits, done=False)
    if submission.notification_pending:
        yield StatusStep("Wiadomość o decyzji", "jeszcze nie wyszła", done=False)
    if submission.erased_at is not None:
        yield StatusStep("Usunęliśmy Twoje dane", when(submission.erased_at))
    elif (erased_on := retention.erased_on(submission)) is not None:
        yield StatusStep("Usuniemy Twoje dane", day(timezone.localdate(erased_on)), done=False)


def when(value: datetime | None) -> str:
    return "" if value is None else moment(value)


def crumbs_to(depot: Depot | None) -> tuple[Crumb, ...]:
    """Return the breadcrumbs of a form, with the page of its depot. Select its municipality and voivodeship with it."""
    if depot is None:
        return (Crumb.home(),)
    return (*crumbs_of(depot.municipality), Crumb(depot.name, depot_path(depot.pk, depot.name)))
