"""Forms of owners: claim of an entry, and its deletion."""

from typing import Any

from django import forms

from catalog.models import Depot, Submission
from pages.forms import fields
from pages.forms.depot import CorrectForm
from pages.forms.price import HOW, PRICES, PriceFields
from pages.forms.public_form import PublicForm

Role = Submission.Role


class ClaimForm(CorrectForm, PriceFields):
    """Claim of an entry by an owner or employee, with corrections and prices."""

    role = forms.ChoiceField(
        label="Kim jesteś w tej firmie?",
        choices=[(role.value, role.label) for role in (Role.OWNER, Role.EMPLOYEE)],
        widget=forms.RadioSelect,
        error_messages=fields.required("Wybierz: właściciel lub wspólnik albo pracownik."),
    )
    claimant_nip = fields.Nip(
        label="NIP firmy",
        max_length=20,
        error_messages=fields.required("Podaj NIP firmy, żeby redakcja mogła porównać go z wpisem."),
    )
    claimant_phone = fields.PhoneField(
        label="Telefon do Ciebie",
        max_length=200,
        required=False,
        help_text="Redakcja może zadzwonić, żeby potwierdzić.",
    )
    message = fields.Message(label="Wiadomość do redakcji", max_length=2000, required=False)
    agreed = forms.BooleanField(
        label="Dane w tym formularzu są aktualne i mogę je potwierdzić w imieniu firmy",
        error_messages=fields.required("Zaznacz to pole. Jeśli coś się nie zgadza, popraw to w formularzu."),
    )

    PARTS = (
        (
            "Twoja firma",
            "Redakcja porówna te dane z wpisem. Będzie szybciej, gdy podasz adres e-mail w domenie firmy. Danych nie "
            "publikujemy.",
            ("role", "claimant_nip", "claimant_phone"),
        ),
        (PRICES, HOW, ()),
        *(part for part in CorrectForm.PARTS if "email" not in part[2]),
        ("Potwierdzenie", "", ("agreed", "message", "email")),
    )

    def __init__(self, posted: Any = None, *, depot: Depot, **options: Any) -> None:
        super().__init__(posted, depot=depot, **options)
        self.add_prices(depot)


class DeleteForm(PublicForm):
    """Request to delete an entry."""

    role = ClaimForm.base_fields["role"]
    claimant_nip = fields.Nip(label="NIP firmy", max_length=20, required=False)
    claimant_phone = ClaimForm.base_fields["claimant_phone"]
    message = fields.Message(
        label="Dlaczego wpis ma zniknąć?", max_length=2000, required=False, help_text="Nie musisz podawać powodu."
    )
    agreed = forms.BooleanField(
        label="Rozumiem, że wpis zniknie z katalogu i z API",
        error_messages=fields.required("Zaznacz to pole, jeśli wpis ma zniknąć."),
    )

    PARTS = (
        (
            "Twoja firma",
            "Redakcja porówna te dane z wpisem, żeby nikt obcy nie usunął Twojego składu. Nie publikujemy ich.",
            ("role", "claimant_nip", "claimant_phone"),
        ),
        ("Usunięcie", "", ("agreed", "message", "email")),
    )
