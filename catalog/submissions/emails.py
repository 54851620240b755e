"""Letters to the authors of submissions, as text and HTML with the same content.

Anybody can enter anybody's address into a form, so the letter with the link contains only data of the catalog: the
depot and the kind of submission. Submitted values and texts of editors go to confirmed addresses only.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from catalog.links import depot_url
from catalog.models import Depot, OwnerLink, Submission, SubmissionQuestion
from catalog.submissions import field_groups, tokens
from fueldepot.http.links import site_url

Kind = Submission.Kind

KINDS = {
    Kind.CORRECT: "poprawka danych",
    Kind.CLAIM: "przejęcie wpisu",
    Kind.DELETE: "usunięcie wpisu",
    Kind.ADD: "brakujący skład",
    Kind.PRICE: "ceny opału",
}

OWNER_LABEL = "Zmień godziny i ceny"

OWNER_HINTS = (
    "Pod tym odnośnikiem w każdej chwili zmienisz godziny i ceny. Zmiany od razu widać na stronie. Zachowaj tę "
    "wiadomość.",
    "Nie przekazuj odnośnika nikomu obcemu. Na tej samej stronie możesz go odwołać.",
)

LONGEST_SUBJECT_NAME = 60
"""Maximum length of a depot's name in a subject, so that the rest is visible in a mailbox."""


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value of a section. before: "" if there is nothing to compare with. reason: why it was refused, or "".

    proposed: the author's value, where an editor replaced it, else "".
    """

    label: str
    before: str
    after: str
    reason: str = ""
    proposed: str = ""


@dataclass(frozen=True, slots=True)
class LetterSection:
    """Values under a heading. after_label: label of the new value beside the former one."""

    heading: str
    changes: tuple[ValueChange, ...]
    after_label: str = "jest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Content of a letter in order. link: URL and label of its call to action."""

    opening: tuple[str, ...]
    sections: tuple[LetterSection, ...] = ()
    link: tuple[str, str] | None = None
    closing: tuple[str, ...] = ()


def _numbered(submission: Submission) -> str:
    """Return the number and the kind of a submission."""
    return f"nr {submission.pk} ({KINDS[Kind(submission.kind)]})"


def link_letter(submission: Submission, token: str) -> EmailMultiAlternatives:
    """Ask the author to confirm. Reads the depot; use `select_related`."""
    hours = tokens.LINK_LIFE // timedelta(hours=1)
    content = Content(
        opening=(
            f"Ktoś podał ten adres w serwisie {settings.SITE_NAME} ({settings.SITE_URL}).",
            f"Jeśli to Ty, otwórz odnośnik i potwierdź zgłoszenie. Odnośnik działa {hours} godzin i tylko raz.",
        ),
        link=(site_url(reverse("request-confirm")) + f"?odnosnik={token}", "Potwierdź zgłoszenie"),
        closing=(
            "Jeśli to nie Ty, nie rób nic. Bez potwierdzenia zgłoszenie się nie liczy, "
            f"a ten adres usuniemy po {hours} godzinach.",
        ),
    )
    return _letter(submission, "potwierdź zgłoszenie", content)


def question_letter(submission: Submission, question: SubmissionQuestion) -> EmailMultiAlternatives:
    """Ask the author what an editor needs to know before the decision. Reads the depot; use `select_related`."""
    content = Content(
        opening=(f"Redakcja ma pytanie do zgłoszenia {_numbered(submission)}:", f"„{question.text}”"),
        link=(question_url(question), "Odpowiedz redakcji"),
        closing=(
            "Do tego czasu zgłoszenie czeka. Odpowiedz na stronie: odpowiedzi na tę wiadomość nikt nie przeczyta.",
        ),
    )
    return _letter(submission, "pytanie redakcji", content)


def accepted_letter(submission: Submission) -> EmailMultiAlternatives:
    """Tell what was accepted, what was not, and why. Reads the depot; use `select_related`."""
    opening = f"Redakcja przyjęła zgłoszenie {_numbered(submission)}."
    sections: tuple[LetterSection, ...] = ()
    closing: tuple[str, ...] = ("Dziękujemy.",)
    link = None
    match submission.kind:
        case Kind.DELETE:
            outcome = "wpis usunięty"
            said = "Wpis zniknął z katalogu i z API. Automatyczna aktualizacja go nie przywróci."
        case Kind.CLAIM:
            outcome = "wpis jest Twój"
            said = "Wpis ma teraz status „potwierdzone przez właściciela”."
            link = find_owner_link(submission)
            closing = (*OWNER_HINTS, *closing) if link else closing
        case Kind.ADD:
            outcome = "skład jest w katalogu"
            said = "Skład jest już w katalogu."
            altered = tuple(change for change in _as_accepted(submission) if change.proposed)
            sections = (LetterSection("Redakcja poprawiła", altered),) if altered else ()
        case _:
            left = [
                group
                for group in field_groups.groups_in(submission.proposed)
                if group.name not in submission.accepted_fields
            ]
            outcome = "część zmian przyjęta" if left else "zmiany przyjęte"
            said = "Oto, co się zmieniło." if not left else "Części zmian nie przyjęliśmy: powód jest niżej."
            sections = _correction(submission)
    content = Content(opening=(opening, said), sections=sections, link=link, closing=closing)
    return _letter(submission, outcome, content)


def rejected_letter(submission: Submission) -> EmailMultiAlternatives:
    """Tell why a submission was rejected. Reads the depot; use `select_related`."""
    asked = _asked(submission) if submission.kind == Kind.CORRECT else ()
    content = Content(
        opening=(
            f"Redakcja nie przyjęła zgłoszenia {_numbered(submission)}.",
            f"Powód: {submission.reason}",
        ),
        sections=(LetterSection("Zostało bez zmian", asked, "zgłoszone"),) if asked else (),
        closing=("Jeśli to nasza pomyłka, wyślij zgłoszenie jeszcze raz i dopisz w wiadomości, skąd o tym wiesz.",),
    )
    return _letter(submission, "zgłoszenie odrzucone", content)


def prices_letter(submission: Submission) -> EmailMultiAlternatives:
    """Tell the decision about each price of a submission. Reads the depot; use `select_related`."""
    outcomes = submission.proposed.get("outcomes", [])
    accepted = tuple(ValueChange(label, "", value) for label, value, reason in outcomes if not reason)
    refused = tuple(ValueChange(label, "", value, reason) for label, value, reason in outcomes if reason)
    sections = (LetterSection("Przyjęte ceny", accepted), LetterSection("Nieprzyjęte ceny", refused))
    outcome = "ceny przyjęte" if not refused else "ceny odrzucone" if not accepted else "część cen przyjęta"
    content = Content(
        opening=(f"Redakcja sprawdziła ceny ze zgłoszenia nr {submission.pk}.",),
        sections=tuple(section for section in sections if section.changes),
        closing=("Dziękujemy.",),
    )
    return _letter(submission, outcome, content)


def superseded_letter(submission: Submission) -> EmailMultiAlternatives:
    """Tell that the depot was removed before a decision. Reads the depot; use `select_related`."""
    depot = submission.depot
    reason = f" Powód: {depot.get_removal_reason_display()}." if depot is not None else ""
    said = f"Zgłoszenie {_numbered(submission)} jest już nieaktualne: wpis usunięto z katalogu."
    return _letter(submission, "zgłoszenie nieaktualne", Content(opening=(said + reason,)))


def expiry_letter(submission: Submission, day: date) -> EmailMultiAlternatives:
    """Warn that the submission is undecided, and on which day it is deleted. Reads the depot; use `select_related`."""
    content = Content(
        opening=(
            f"Redakcja do tej pory nie rozpatrzyła zgłoszenia {_numbered(submission)}.",
            f"Jeśli nie zrobi tego do dnia {date_format(day, 'j E Y')} r., usuniemy zgłoszenie razem z Twoimi danymi.",
        ),
        closing=("Przepraszamy. Jeśli sprawa jest aktualna, wyślij zgłoszenie jeszcze raz.",),
    )
    return _letter(submission, "zgłoszenie bez decyzji", content)


def owner_letter(link: OwnerLink) -> EmailMultiAlternatives:
    """Send an owner their new link. Reads the depot; use `select_related`."""
    content = Content(
        opening=("Oto nowy odnośnik do Twojego wpisu. Poprzedni działa, dopóki czegoś pod nowym nie zapiszesz.",),
        link=(owner_url(link, link.serial + 1), OWNER_LABEL),
        closing=OWNER_HINTS,
    )
    return _message(link.email, link.depot, "nowy odnośnik", content)


def claimed_letter(claim: Submission, link: OwnerLink, ends: datetime) -> EmailMultiAlternatives:
    """Tell an owner that somebody else claims the entry, and until when to object. Reads the depot of the claim."""
    token = tokens.objection_token(claim.pk, link.pk)
    content = Content(
        opening=(
            "Ktoś poprosił o przejęcie Twojego wpisu i potwierdził swój adres e-mail. Nie zna Twojego adresu.",
            f"Jeśli to ktoś obcy, zgłoś sprzeciw do {date_format(timezone.localtime(ends), 'j E Y, H:i')}. Jeśli to Ty "
            "albo ktoś z Twojej firmy, nie rób nic.",
        ),
        link=(site_url(reverse("owner-object")) + f"?znak={token}", "Zgłoś sprzeciw"),
        closing=(
            "Zdecyduje redakcja. Jeśli przyjmie przejęcie, Twój odnośnik do zmiany godzin i cen może przestać działać. "
            "Napiszemy o tym.",
        ),
    )
    return _message(link.email, claim.depot, "ktoś chce przejąć wpis", content)


def replaced_letter(email: str, depot: Depot) -> EmailMultiAlternatives:
    """Tell a former owner that their link has ended."""
    content = Content(
        opening=(
            "Redakcja przyjęła przejęcie tego wpisu przez kogoś innego.",
            "Twój odnośnik do zmiany godzin i cen przestał działać, a Twój adres usuwamy.",
        ),
        link=(site_url(reverse("depot-claim", args=[depot.pk])), "Przejmij wpis jeszcze raz"),
        closing=("Jeśli to pomyłka, przejmij wpis jeszcze raz i napisz w wiadomości, dlaczego.",),
    )
    return _message(email, depot, "Twój odnośnik przestał działać", content)


def find_owner_link(submission: Submission) -> tuple[str, str] | None:
    """Return URL and label of the owner link granted by a claim, None if it is invalid by now."""
    link = OwnerLink.objects.working().filter(depot=submission.depot, email_hash=submission.email_hash).first()
    return (owner_url(link, link.serial), OWNER_LABEL) if link else None


def status_url(submission: Submission) -> str:
    """Return the URL of a visit's page. The reference is in the query string, which no log keeps."""
    reference = tokens.status_reference(submission.visit_id or submission.pk)
    return site_url(reverse("request-status")) + f"?znak={reference}"


def question_url(question: SubmissionQuestion) -> str:
    """Return the URL of the page that answers a question; its token is in the query, which is not logged."""
    return site_url(reverse("request-answer")) + f"?znak={tokens.question_token(question.pk)}"


def owner_url(link: OwnerLink, serial: int) -> str:
    """Return the URL of an owner's link, with the token in the query string as well."""
    return site_url(reverse("owner")) + f"?odnosnik={tokens.owner_token(link.pk, serial)}"


def _correction(submission: Submission) -> tuple[LetterSection, ...]:
    """Return the accepted and omitted values of a correction, the latter with the editor's reason."""
    taken, left = [], []
    for group, change in zip(field_groups.groups_in(submission.proposed), _as_accepted(submission), strict=True):
        if group.name in submission.accepted_fields:
            taken.append(change)
        else:
            left.append(ValueChange(change.label, change.before, change.after, submission.reason))
    sections = (LetterSection("Zmieniliśmy", tuple(taken)), LetterSection("Nie zmieniliśmy", tuple(left), "zgłoszone"))
    return tuple(section for section in sections if section.changes)


def _as_accepted(submission: Submission) -> list[ValueChange]:
    """Return the values of a submission, accepted ones that an editor altered as the depot has them now.

    The municipality follows from the position, and the week from its text, so they are not compared.
    """
    changes = list(_asked(submission))
    if submission.depot is None:
        return changes
    now = field_groups.values_of(submission.depot)
    for at, group in enumerate(field_groups.groups_in(submission.proposed)):
        compared = [name for name in group.fields if name not in {"municipality", "hours"}]
        is_altered = any(now[name] != submission.proposed.get(name) for name in compared)
        if is_altered and group.name in submission.accepted_fields:
            after = field_groups.shown(group, now, field_groups.municipalities(now))
            changes[at] = replace(changes[at], after=after, proposed=changes[at].after)
    return changes


def _asked(submission: Submission) -> tuple[ValueChange, ...]:
    """Return the values of a correction, before and after."""
    names = field_groups.municipalities(submission.stored, submission.proposed)
    found = field_groups.differences(submission.stored, submission.proposed, names)
    return tuple(ValueChange(one.group.label, one.before, one.after) for one in found)


def _letter(submission: Submission, outcome: str, content: Content) -> EmailMultiAlternatives:
    return _message(submission.email, submission.depot, outcome, content, status_url(submission))


def _message(
    email: str, depot: Depot | None, outcome: str, content: Content, status: str = ""
) -> EmailMultiAlternatives:
    """Build a message. depot: None for a missing one. status: URL of the submission's page, "" without one."""
    published = depot is not None and depot.publication == Depot.Publication.PUBLISHED
    name = _depot_name(depot)
    values = {
        "content": content,
        "depot_name": name,
        "depot_url": depot_url(depot.pk, depot.name) if depot is not None and published else "",
        "status_url": status,
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "contact": settings.CONTACT_EMAIL,
    }
    short = name or "brakujący skład"
    if len(short) > LONGEST_SUBJECT_NAME:
        short = short[: LONGEST_SUBJECT_NAME - 1].rstrip() + "…"
    message = EmailMultiAlternatives(
        subject=f"{short}: {outcome}",
        body=render_to_string("mail/letter.txt", values).strip() + "\n",
        to=[email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string("mail/letter.html", values | {"subject": message.subject}), "text/html")
    return message


def _depot_name(depot: Depot | None) -> str:
    """Return the name of a depot, "" for a missing depot or a name that may be a private person's."""
    if depot is None:
        return ""
    if depot.removal_reason == Depot.RemovalReason.PRIVATE_PERSON or depot.publication == Depot.Publication.HELD:
        return f"wpis nr {depot.pk}"
    return " ".join(depot.name.split())
