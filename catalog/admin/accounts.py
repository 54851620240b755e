"""Accounts of editors. A chief editor keeps them without being able to make anybody mightier than a chief editor."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from catalog.admin.desk import MissedMixin
from catalog.roles import CHIEF, EDITOR

admin.site.unregister([User, Group])


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Accounts are switched off, never deleted: decisions name them."""

    list_display = ("username", "first_name", "last_name", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    plain_fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Osoba", {"fields": ("first_name", "last_name", "email")}),
        ("Uprawnienia", {"fields": ("is_active", "groups")}),
        ("Daty", {"fields": ("last_login", "date_joined")}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None or is_super(request):
            return super().get_fieldsets(request, obj)
        return self.plain_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fixed = ("last_login", "date_joined")
        # Who may give away only roles must not take their own.
        return (*fixed, "groups", "is_active") if obj is not None and obj.pk == request.user.pk else fixed

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_superuser and not is_super(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups" and not is_super(request):
            kwargs["queryset"] = Group.objects.filter(name__in=[EDITOR, CHIEF])
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """An account that a chief editor makes is one of the desk."""
        if not change and not is_super(request):
            obj.is_staff = True
        super().save_model(request, obj, form, change)


@admin.register(Group)
class RoleAdmin(MissedMixin, GroupAdmin):
    """Roles; administrators of the service keep them."""


def is_super(request: HttpRequest) -> bool:
    """Whether an administrator of the service asks."""
    return bool(getattr(request.user, "is_superuser", False))
