"""Accounts of editors, and the links by which they set their passwords."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from operator import methodcaller
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, PasswordResetForm
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import Group, User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import PasswordResetCompleteView, PasswordResetDoneView, PasswordResetView
from django.contrib.contenttypes.models import ContentType
from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.html import format_html
from django.utils.http import urlsafe_base64_encode
from django.utils.safestring import SafeString
from django.views import View
from django_otp.plugins.otp_static.admin import StaticDevice
from django_otp.plugins.otp_totp.admin import TOTPDevice

from catalog.admin.bulk import bulk_action, each
from catalog.admin.desk import DeskMixin, KeptRowsMixin, OptionsFilter, current_editor, desk_view
from catalog.admin.registers_and_history import written
from catalog.models import DailyLetter, PendingLetter
from catalog.services import second_factor
from catalog.services.editors import CHIEF, EDITOR
from catalog.submissions import letters
from catalog.submissions.letter_kinds import Letter, PendingLetters
from catalog.text import wrapped
from fueldepot.http.links import site_url
from fueldepot.http.views import private

admin.site.unregister([User, Group, StaticDevice, TOTPDevice])


class RoleFilter(OptionsFilter):
    title = "rola"
    parameter_name = "role"
    options = {
        EDITOR: (EDITOR, methodcaller("filter", groups__name=EDITOR)),
        CHIEF: (CHIEF, methodcaller("filter", groups__name=CHIEF)),
        "none": ("bez grupy", methodcaller("filter", groups=None, user_permissions=None, is_superuser=False)),
    }


def why_second_factor_stays(user: Any) -> str:
    if user.is_own:
        return "Twoje konto (wyłącza się go na jego stronie, kodem)"
    if user.is_superuser:
        return "konto administratora"
    return "" if user.has_app else "bez drugiego składnika"


INVITED = "Bez hasła: wyślemy na ten adres zaproszenie z odnośnikiem, pod którym się je ustawia."


class AccountForm(AdminUserCreationForm):  # type: ignore[type-arg] # not subscriptable at run time
    """A new account: without a password its owner sets one by the link of the invitation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["usable_password"]
        for name in ("password1", "password2"):
            self.fields[name].required = False
        self.fields["password1"].label = "Ustaw hasło"
        self.fields["email"].help_text = INVITED

    def clean(self) -> dict[str, Any]:
        is_typed = any(self.data.get(name) for name in ("password1", "password2"))
        self.cleaned_data["usable_password"] = "true" if is_typed else "false"
        cleaned: dict[str, Any] = super().clean() or {}
        if not is_typed and not cleaned.get("email"):
            self.add_error("email", "Bez hasła konto potrzebuje adresu, na który wyślemy zaproszenie.")
        return cleaned


@admin.register(User)
class AccountAdmin(KeptRowsMixin, DeskMixin, UserAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Accounts are deactivated, never deleted: decisions refer to them."""

    saved = " konto „{}”."

    list_display = ("username", "first_name", "last_name", "role", "has_second_factor", "active", "last_login")
    actions = ("turn_off_second_factor",)
    list_filter = ("is_active", RoleFilter)
    add_form = AccountForm
    add_form_template = None  # Django's has an introduction, clumsy in Polish
    add_fieldsets = ((None, {"fields": ("username", "email", "groups", "password1", "password2")}),)
    plain_fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Osoba", {"fields": ("first_name", "last_name", "email")}),
        ("Uprawnienia", {"fields": ("is_active", "groups")}),
        ("Daty", {"fields": ("last_login", "date_joined")}),
    )

    @desk_view("codzienny-list/", "daily_letter", methods=["POST"])
    def daily_letter_view(self, request: HttpRequest) -> HttpResponse:
        editor = current_editor(request)
        if "off" in request.POST:
            DailyLetter.objects.filter(editor=editor).delete()
            self.message_user(request, "Nie wyślemy Ci już codziennego listu.")
        elif not editor.email:
            text = "Twoje konto nie ma adresu e-mail. Poproś redaktora naczelnego, żeby go dodał."
            self.message_user(request, text, messages.WARNING)
        else:
            DailyLetter.objects.get_or_create(editor=editor)
            self.message_user(request, f"Rano napiszemy na {editor.email}, co czeka. Gdy nic nie czeka, nie piszemy.")
        return HttpResponseRedirect(reverse("admin:index"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        app = TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)
        users: QuerySet[User] = super().get_queryset(request).prefetch_related("groups")
        return users.annotate(has_app=Exists(app), is_own=Q(pk=current_editor(request).pk))

    @admin.display(description="rola")
    def role(self, user: User) -> SafeString | str:
        """The groups of an account, or a warning: an account without a group has no rights."""
        if user.is_superuser:
            return "administrator"
        names = ", ".join(group.name for group in user.groups.all())
        return names or format_html('<strong class="stale">{}</strong>', "bez grupy")

    @admin.display(description="aktywne", ordering="is_active")
    def active(self, user: User) -> str:
        return written(user.is_active)

    @admin.display(description="drugi składnik")
    def has_second_factor(self, user: Any) -> str:
        return written(user.has_app)

    @bulk_action(description="Wyłącz drugi składnik (zgubiony telefon)", obstacles=each(why_second_factor_stays))
    def turn_off_second_factor(self, request: HttpRequest, keys: list[int]) -> None:
        """Of other accounts: for one's own the page about it asks for a code."""
        users = User.objects.filter(pk__in=keys)
        names = [str(user) for user in users if second_factor.turn_off(user=user, by=request.user)]
        self.message_user(request, f"Wyłączono drugi składnik: {', '.join(names) or 'na żadnym koncie'}.")

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None or current_editor(request).is_superuser:
            return super().get_fieldsets(request, obj)
        return self.plain_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fixed = ("last_login", "date_joined")
        # Editors cannot change their own role or deactivate their own account.
        return (*fixed, "groups", "is_active") if obj is not None and obj.pk == request.user.pk else fixed

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_superuser and not current_editor(request).is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups" and not current_editor(request).is_superuser:
            kwargs["queryset"] = Group.objects.filter(name__in=[EDITOR, CHIEF])
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def response_post_save_add(self, request: HttpRequest, obj: User) -> HttpResponseRedirect:
        """Go on to the account, as Django does."""
        return HttpResponseRedirect(reverse("admin:auth_user_change", args=[obj.pk]))

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Give new accounts access to the desk; without it they get no invitation."""
        if not change:
            obj.is_staff = True
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Have the invitation sent, and warn about an account without a role: it has no rights."""
        super().save_related(request, form, formsets, change)
        account = form.instance
        if not change and account.email and not account.has_usable_password():
            request_link(account.email, PendingLetter.Kind.INVITATION)
            self.message_user(request, "Wysyłamy zaproszenie z odnośnikiem do ustawienia hasła.")
        if account.is_active and not account.is_superuser and not account.groups.exists():
            text = f"Konto {account} nie ma grupy, więc nic nie może zrobić. Wybierz ją."
            self.message_user(request, text, messages.WARNING)


@admin.register(Group)
class RoleAdmin(DeskMixin, GroupAdmin):
    """Roles, managed by administrators of the service."""


MOST_AN_HOUR = 3
"""Letters per account and hour: anybody who knows an address could flood it otherwise."""

SENT = "wysłano odnośnik do hasła"


class LinkForm(PasswordResetForm):
    """Password reset form. Does not reveal, by its answer or its time, whether an account has the address."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        request_link(self.cleaned_data["email"], PendingLetter.Kind.PASSWORD)


def request_link(email: str, kind: PendingLetter.Kind) -> None:
    """Have a link to set a password sent to the accounts with an address, if there are any."""
    PendingLetter.objects.create(kind=kind, email=email, requested_at=timezone.now())
    letters.send_soon()


def password_letters(row: PendingLetter, on: datetime) -> Iterator[Letter]:
    """Yield the letters to active accounts with an address, including invited ones without a password.

    No letter after `MOST_AN_HOUR` to the same account: the request then ends without one.
    """
    users = User.objects.filter(email__iexact=row.email, is_active=True, is_staff=True)
    if row.kind == PendingLetter.Kind.INVITATION:
        users = users.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    for user in users:
        about = ContentType.objects.get_for_model(User)
        sent: dict[str, Any] = {"content_type": about, "object_id": str(user.pk), "change_message": SENT}
        if LogEntry.objects.filter(**sent, action_time__gt=on - timedelta(hours=1)).count() < MOST_AN_HOUR:
            note = partial(second_factor.note, user, by=user, message=SENT)
            yield Letter(row, None, partial(link_letter, user, row.kind), note)


def link_letter(user: User, template: str) -> EmailMessage:
    token = urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)
    context = {"account": user, "link": site_url(reverse("password_reset_confirm", args=token))}
    body = wrapped(render_to_string(f"mail/{template}.txt", context))
    return EmailMessage(f"{settings.SITE_NAME}: hasło redakcji", body, None, [user.email])


PendingLetters.writers |= dict.fromkeys((PendingLetter.Kind.PASSWORD, PendingLetter.Kind.INVITATION), password_letters)


def urls(context: dict[str, Any], confirm: type[View]) -> list[URLPattern]:
    """Return the URL patterns. context: template context of every admin page. confirm: sets a password."""
    options = {"extra_context": context}
    return [
        path("", private(PasswordResetView.as_view(form_class=LinkForm, **options)), name="admin_password_reset"),
        path("wyslano/", private(PasswordResetDoneView.as_view(**options)), name="password_reset_done"),
        path("<uidb64>/<token>/", private(confirm.as_view(**options)), name="password_reset_confirm"),
        path("gotowe/", private(PasswordResetCompleteView.as_view(**options)), name="password_reset_complete"),
    ]
