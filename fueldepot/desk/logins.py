"""Logins at the desk: the form with the second factor, and what locks an account after wrong passwords and codes."""

import re
from functools import wraps
from http import HTTPStatus
from typing import Any

import segno
from django import forms
from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.crypto import salted_hmac
from django.utils.decorators import method_decorator
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django_otp import login
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp.util import random_hex

from catalog.services import second_factor
from fueldepot.http import rate_limit

BROWSER = "desk_browser"
"""Cookie of a browser in which an account has logged in, or has set its password by a link from a letter."""

BROWSER_KNOWN_S = 180 * 24 * 3600
WRONG_CODE = "Kod jest niepoprawny albo został już użyty. Po kilku błędnych kodach trzeba chwilę odczekać."


def name_key(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """Return a keyed hash of the user name of a login attempt, 64 characters.

    The field may contain a password, or thousands of characters: neither is stored.
    """
    name = (credentials or {}).get("username")
    if name is None and request is not None:
        name = request.POST.get("username", "")
    return salted_hmac("fueldepot.desk.logins", str(name), algorithm="sha256").hexdigest()


def lock_by(request: Any, credentials: dict[str, Any] | None = None) -> list[str | list[str]]:
    """Return what django-axes counts failures by: by name and address, and in an unknown browser also by name alone.

    So many addresses cannot try one password each, and who knows a name does not lock out the browser of its owner.
    """
    by_address: list[str | list[str]] = [["username", "ip_address"]]
    if not hasattr(request, "get_signed_cookie"):
        return by_address
    browser_of = request.get_signed_cookie(BROWSER, default="", salt=BROWSER, max_age=BROWSER_KNOWN_S)
    return by_address if browser_of == name_key(request, credentials) else [*by_address, "username"]


def remember_browser(response: HttpResponse, user: Any) -> HttpResponse:
    response.set_signed_cookie(
        BROWSER,
        name_key(None, {"username": user.get_username()}),
        salt=BROWSER,
        max_age=BROWSER_KNOWN_S,
        path=reverse("admin:index"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def code_field(**options: Any) -> forms.CharField:
    """Return a form field of a code. Neither the browser nor an error page repeats it."""
    attributes = {"autocomplete": "one-time-code", "spellcheck": "false"}
    return forms.CharField(max_length=20, widget=forms.TextInput(attrs=attributes), **options)


class CodeForm(forms.Form):
    code = code_field(label="Kod")
    key = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)


class LoginForm(AdminAuthenticationForm):
    code = code_field(label="Kod z aplikacji", required=False)

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        """Also check the code of an account with a second factor. A wrong one counts as a failed login."""
        cleaned: dict[str, Any] = super().clean()
        user: Any = self.get_user()
        code = cleaned.get("code", "")
        if user is None or second_factor.find_app(user) is None:
            return cleaned
        if not code:
            raise forms.ValidationError("To konto ma drugi składnik: podaj hasło i kod z aplikacji albo kod zapasowy.")
        device = second_factor.match_code(user, code)
        if device is None:
            user_login_failed.send(__name__, credentials={"username": user.get_username()}, request=self.request)
            raise forms.ValidationError(WRONG_CODE)
        user.otp_device = device  # django-otp's receiver of user_logged_in puts it into the session
        return cleaned


class PasswordView(PasswordResetConfirmView):
    """Set a password by a link from a letter. The way in for who is locked out of an unknown browser."""

    title = "Nowe hasło"  # Django's own misspells it

    def form_valid(self, form: Any) -> HttpResponse:
        return remember_browser(super().form_valid(form), self.user)


class DeskSite(AdminSite):
    login_form = LoginForm

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.method == "POST" and settings.RATE_LIMIT:
            tried = rate_limit.consume(request.META.get("REMOTE_ADDR", ""), rate_limit.LOGINS, of="logins:")
            if not tried.allowed:
                wait = {"wait_s": tried.next_in_s}
                refusal = render(request, settings.AXES_LOCKOUT_TEMPLATE, wait, status=HTTPStatus.TOO_MANY_REQUESTS)
                refusal["Retry-After"] = str(tried.next_in_s)
                return refusal
        response: HttpResponse = super().login(request, extra_context)
        has_entered = request.method == "POST" and request.user.is_authenticated
        return remember_browser(response, request.user) if has_entered else response

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Send an account that lacks a required second factor, or this session its code, to the page about it."""
        guarded = super().admin_view(view, cacheable)
        if view in (self.logout, self.second_factor):
            return guarded

        @wraps(guarded)
        def answer(request: Any, *args: Any, **kwargs: Any) -> Any:
            is_missing = self.has_permission(request) and not request.user.is_verified()
            if is_missing and second_factor.is_required(request.user):
                return HttpResponseRedirect(reverse("admin:second_factor"))
            return guarded(request, *args, **kwargs)

        return answer

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        from fueldepot.desk import start_page_and_daily_letter  # its admins register themselves here

        return super().index(request, {**start_page_and_daily_letter.describe(request.user), **(extra_context or {})})

    def get_urls(self) -> list[Any]:
        return [path("drugi-skladnik/", self.admin_view(self.second_factor), name="second_factor"), *super().get_urls()]

    @method_decorator([sensitive_post_parameters(), sensitive_variables()])
    def second_factor(self, request: HttpRequest) -> HttpResponse:
        """The page on which editors turn their second factor on and off, and confirm a session that began before."""
        user: Any = request.user
        device, form = second_factor.find_app(user), CodeForm(request.POST or None)
        action = request.POST.get("action", "")
        codes: list[str] | None = None
        if form.is_valid():
            codes = answer_code(request, device, form, action)
            if codes == [] and not form.errors:
                return HttpResponseRedirect(reverse("admin:index" if action == "confirm" else "admin:second_factor"))
            device = second_factor.find_app(user)
        context = self.each_context(request) | {
            "title": "Drugi składnik logowania",
            "device": device,
            "verified": user.is_verified(),
            "required": second_factor.is_required(user),
            "codes": codes,
            "left": second_factor.count_backup_codes(user) if device else 0,
            "form": form,
        }
        if device is None:
            key = second_factor.read_key(request.POST.get("key", "")) or random_hex(20)
            context |= describe_key(TOTPDevice(user=user, key=key)) | {"key": second_factor.sign_key(key)}
            context["form"] = form if form.errors else CodeForm()
        return render(request, "admin/second_factor.html", context)


@sensitive_variables()
def answer_code(request: HttpRequest, device: Any, form: CodeForm, action: str) -> list[str]:
    """Do what a form demands. Returns new backup codes, [] for none; a wrong code is an error of the form."""
    user: Any = request.user
    code = form.cleaned_data["code"]
    if device is None:
        key = second_factor.read_key(form.cleaned_data["key"])
        codes = second_factor.turn_on(user=user, key=key, code=code) if key else None
        if codes is None:
            form.add_error("code", WRONG_CODE)
            return []
        login(request, second_factor.find_app(user))
        return codes
    matched = second_factor.match_code(user, code)
    if matched is None:
        form.add_error("code", WRONG_CODE)
    elif not user.is_verified():
        login(request, matched)
    elif action == "codes":
        return second_factor.renew_backup_codes(user)
    elif action == "off" and not second_factor.is_required(user):
        second_factor.turn_off(user=user, by=user)
    return []


def describe_key(device: Any) -> dict[str, str | SafeString]:
    """Return the QR code of a new device as SVG without styles and scripts, and its key in groups of four."""
    address = device.config_url
    secret = re.search(r"secret=(\w+)", address)[1]  # type: ignore[index]
    picture = segno.make(address, error="m").svg_inline(scale=4, light="white")
    return {"picture": mark_safe(picture), "secret": " ".join(re.findall(".{1,4}", secret))}  # noqa: S308 - made here
