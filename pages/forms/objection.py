"""The page on which the owner of an entry objects to a claim of it. GET never writes."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from catalog.models import Submission
from catalog.submissions import objections
from pages.forms import fields
from pages.forms.public_form import PublicForm
from pages.forms.views import posted, problem, public_form_view
from pages.page import Page
from pages.rendering import render_page

TITLE = "Sprzeciw wobec przejęcia wpisu"

TAKEN = "Sprzeciw jest w redakcji. Dopóki redakcja nie zdecyduje, wpis i Twój odnośnik zostają bez zmian."


class ObjectionForm(PublicForm):
    """Form for an objection; its text is optional."""

    email = None  # type: ignore[assignment] # how Django leaves a field of a class above out

    objection = fields.Message(
        label="Dlaczego (niekonieczne)",
        max_length=objections.MAX_OBJECTION,
        required=False,
        help_text="Przeczyta to tylko redakcja.",
    )

    PARTS = (("Twój sprzeciw", "", ("objection",)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectionPage(Page):
    """The form of an objection. token: of the owner's letter."""

    form: ObjectionForm
    token: str
    depot_name: str


@public_form_view
def object_to_claim(request: HttpRequest) -> HttpResponse:
    """Show the form of an objection, or store one."""
    posting = request.method == "POST"
    token = (request.POST if posting else request.GET).get("znak", "")[:500]
    now = timezone.now()
    try:
        claim = objections.get_claim(token)
    except objections.NoSuchClaim:
        text = "Odnośnik jest niepełny, zgłoszenia już nie ma albo wpis nie jest już Twój."
        return problem(request, 404, "Nie ma takiego zgłoszenia", text)
    if claim.state != Submission.State.WAITING:
        return problem(request, 409, "Nie trzeba już sprzeciwu", "To zgłoszenie jest już zamknięte.")
    if claim.objected_at is not None:
        return problem(request, 200, "Dziękujemy za sprzeciw", TAKEN)
    form = ObjectionForm(posted(request), path=request.path, on=now)
    if posting and form.is_valid():
        try:
            objections.object_to_claim(claim=claim, text=form.cleaned_data["objection"], on=now)
        except objections.ObjectionClosed:
            return problem(request, 409, "Nie trzeba już sprzeciwu", "O tym zgłoszeniu właśnie zdecydowano.")
        return problem(request, 200, "Dziękujemy za sprzeciw", TAKEN)
    page = ObjectionPage(
        title=f"Popraw odpowiedzi – {TITLE}" if form.errors else TITLE,
        description="Sprzeciw właściciela wobec przejęcia wpisu przez kogoś innego.",
        path=reverse("owner-object"),
        indexed=False,
        form=form,
        token=token,
        depot_name=claim.depot.name if claim.depot is not None else "",
    )
    return render_page(request, "pages/forms/objection.html", page, status=400 if posting else 200)
