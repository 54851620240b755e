"""Who vouches for an entry, and who wants it gone."""

from django import forms

from catalog.models import DepotRequest
from pages.forms import fields
from pages.forms.stranger import StrangerForm

Role = DepotRequest.Role


class ClaimForm(StrangerForm):
    """Who vouches for an entry."""

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
    claimant_phone = fields.Phone(
        label="Telefon", max_length=200, required=False, help_text="Redakcja może zadzwonić, żeby potwierdzić."
    )
    message = fields.Message(label="Wiadomość do redakcji", max_length=2000, required=False)
    agreed = forms.BooleanField(
        label="Dane we wpisie są aktualne i mogę je potwierdzić w imieniu firmy",
        error_messages=fields.required("Zaznacz to pole. Jeśli coś się nie zgadza, najpierw popraw dane."),
    )

    PARTS = (
        (
            "Twoja firma",
            "Redakcja porówna te dane z wpisem; szybciej, gdy adres e-mail jest w domenie firmy. Nie publikujemy ich.",
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
