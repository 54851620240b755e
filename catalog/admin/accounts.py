"""Accounts of editors. A chief editor manages them, and cannot grant more rights than a chief editor has."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.admin.desk import MissingObjectMixin, current_editor
from catalog.admin.password_links import request_link
from catalog.models import PendingLetter
from catalog.roles import CHIEF, EDITOR

admin.site.unregister([User, Group])


class RoleFilter(admin.SimpleListFilter):
    """Accounts of a group, or of none."""

    title = "rola"
    parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(EDITOR, EDITOR), (CHIEF, CHIEF), ("none", "bez grupy")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        if self.value() == "none":
            return queryset.filter(groups__isnull=True, is_superuser=False)
        return queryset.filter(groups__name=self.value()) if self.value() else queryset


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Accounts are deactivated, never deleted: decisions refer to them."""

    list_display = ("username", "first_name", "last_name", "role", "is_active", "last_login")
    list_filter = ("is_active", RoleFilter)
    add_fieldsets = (
        (
            None,
            {
                "fields": ("username", "email", "groups", "usable_password", "password1", "password2"),
                "description": "Bez hasła: wyślemy na ten adres zaproszenie z odnośnikiem, pod którym się je ustawia.",
            },
        ),
    )
    plain_fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Osoba", {"fields": ("first_name", "last_name", "email")}),
        ("Uprawnienia", {"fields": ("is_active", "groups")}),
        ("Daty", {"fields": ("last_login", "date_joined")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="rola")
    def role(self, user: User) -> SafeString | str:
        """The groups of an account, or a warning: an account without a group has no rights."""
        if user.is_superuser:
            return "administrator"
        names = ", ".join(group.name for group in user.groups.all())
        return names or format_html('<strong class="stale">{}</strong>', "bez grupy")

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

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups" and not current_editor(request).is_superuser:
            kwargs["queryset"] = Group.objects.filter(name__in=[EDITOR, CHIEF])
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Give accounts created by a chief editor access to the desk."""
        if not change and not current_editor(request).is_superuser:
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
            self.message_user(
                request, f"Konto {account} nie ma grupy, więc nic nie może zrobić. Wybierz ją.", messages.WARNING
            )


@admin.register(Group)
class RoleAdmin(MissingObjectMixin, GroupAdmin):
    """Roles, managed by administrators of the service."""
