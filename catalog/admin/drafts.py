"""Drafts: admin pages that save a draft, and the page that shows and approves one."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from catalog.admin.desk import (
    FixedRowsAdmin,
    NextRowMixin,
    PendingByDefaultFilter,
    UnloggedMixin,
    current_editor,
    desk_page,
    page_url,
    read_number,
    read_text,
)
from catalog.admin.evidence import evidence_of
from catalog.admin.journal import describe_lines
from catalog.admin.registers_and_history import FieldChange, in_words, written
from catalog.models import Decision, DecisionLine, Draft, max_length
from catalog.services import Refusal, editing


class DraftInvalid(editing.DraftOutdated):
    """The form of the draft is no longer valid, because rows that it refers to have changed; the argument is why."""


class DraftedAdmin(UnloggedMixin):
    """Mixin: saving and deleting create a draft; `write_draft` and `erase_draft` carry out an approved one."""

    actions = None  # every deletion is a draft of its own

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the form as a draft; nothing if it changes nothing."""
        stored = self.model._default_manager.filter(pk=obj.pk).first() if change else None
        # Compare with the stored row, not with the initial data: the form may restore an earlier version.
        if change and not form.changed_data and editing.stored_values(stored) == editing.stored_values(obj):
            return
        sent = {name: request.POST.getlist(name) for name in form.fields if name in request.POST}
        self._keep(request, stored, str(stored or obj), sent)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self._keep(request, self.model._default_manager.get(pk=obj.pk), str(obj), {}, deletion=True)

    def _keep(self, request: HttpRequest, row: Model | None, title: str, sent: Any, deletion: bool = False) -> None:
        """Store a draft. row: the stored row, None for a new one. sent: the posted fields of the form."""
        request.draft = Draft.objects.create(  # type: ignore[attr-defined] # for the answer
            content_type=ContentType.objects.get_for_model(self.model, for_concrete_model=False),
            object_id="" if row is None else str(row.pk),
            title=f"{self.opts.verbose_name}: {title}"[:300],
            deletion=deletion,
            data=sent,
            before=editing.stored_values(row),
            drafted_at=timezone.now(),
            drafted_by=current_editor(request),
        )

    def response_add(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:
        """Go to the draft; to the list if nothing was changed."""
        draft = getattr(request, "draft", None)
        if draft is None:
            self.message_user(request, "Nic nie zapisano: żadne pole nie zmieniło wartości.", messages.WARNING)
            return HttpResponseRedirect(page_url(self.opts, "changelist"))
        return HttpResponseRedirect(reverse("admin:catalog_draft_change", args=[draft.pk]))

    response_change = response_delete = response_add

    def read_draft(self, request: HttpRequest, draft: Draft, row: Model | None) -> Any:
        """Return the form of a draft, bound to the row as it is now. Raises DraftInvalid."""
        form = self.get_form(request, row, change=row is not None)(MultiValueDict(draft.data), instance=row)
        if not form.is_valid():
            raise DraftInvalid(form.errors)
        return form

    def describe_draft(self, before: Any, after: Any, cleaned: Any) -> list[str]:
        """Return the effects of an approval on readers, as Polish sentences.

        before: the stored row, None for a new one. after: the row as it would be, not saved; None for a deletion.
        cleaned: cleaned data of the form, with fields that the row does not have.
        """
        return []

    def write_draft(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Write an approved draft. `obj._change_reason` is set."""
        super().save_model(request, obj, form, change)

    def erase_draft(self, request: HttpRequest, obj: Any) -> None:
        """Delete a row by an approved draft. `obj._change_reason` is set."""
        super().delete_model(request, obj)

    def has_draft_permission(self, request: HttpRequest, draft: Draft) -> bool:
        if draft.deletion:
            return bool(self.has_delete_permission(request))
        return bool(self.has_change_permission(request) if draft.object_id else self.has_add_permission(request))


class DraftStateFilter(PendingByDefaultFilter):
    waiting = Draft.State.WAITING


REJECTED_SHOWN = timedelta(days=14)
"""How long the start page tells of a rejected draft."""


def drafts_by_author(user: Any) -> dict[str, Q]:
    """Return the conditions on drafts as a user sees their authors, by the value of the filter."""
    mine = Q(drafted_by=user.pk)
    lately = Q(state=Draft.State.WITHDRAWN, decided_at__gte=timezone.now() - REJECTED_SHOWN)
    return {"others": ~mine, "mine": mine, "rejected": mine & lately & ~Q(decided_by=user.pk)}


class AuthorFilter(admin.SimpleListFilter):
    title = "autor"
    parameter_name = "author"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        lately = f"ja: odrzucone w ostatnich {REJECTED_SHOWN.days} dniach"
        return [("others", "inne osoby"), ("mine", "ja"), ("rejected", lately)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Draft]) -> QuerySet[Draft]:
        return queryset.filter(drafts_by_author(current_editor(request)).get(self.value() or "", Q()))


@admin.register(Draft)
class DraftAdmin(NextRowMixin, FixedRowsAdmin):
    list_display = ("title", "drafted_by", "drafted_at", "state_in_words", "reason", "decided_by")
    list_filter = (DraftStateFilter, AuthorFilter)
    list_select_related = ("drafted_by", "decided_by")
    search_fields = ("title", "reason")
    ordering = ("-drafted_at", "-pk")

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_kwargs: Any) -> HttpResponse:
        rows = Draft.objects.select_related("content_type", "drafted_by", "decided_by")
        draft = rows.filter(pk=read_number(object_id)).first()
        if draft is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        desk: Any = self.admin_site.get_model_admin(draft.content_type.model_class())  # type: ignore[arg-type] # installed
        if not desk.has_view_permission(request):
            raise PermissionDenied
        if request.method == "POST":
            if not desk.has_draft_permission(request, draft):
                raise PermissionDenied
            return self._decide(request, draft, desk)
        return desk_page(self, request, "catalog/draft/page", self._describe(request, draft, desk))

    def _describe(self, request: HttpRequest, draft: Draft, desk: Any) -> dict[str, Any]:
        row = desk.model._default_manager.filter(pk=draft.object_id).first() if draft.object_id else None
        is_open = draft.state in Draft.OPEN
        # A withdrawn draft has none.
        decisions = [] if is_open else list(Decision.objects.about(draft).filter(kind=Decision.Kind.DRAFT))
        lines: list[Any] = list(DecisionLine.objects.filter(decision__in=decisions, last__isnull=False).order_by("pk"))
        describe_lines(lines)
        outdated = not decisions and editing.is_outdated(draft, row)
        changes = [change for line in lines for change in line.changes]
        effects: list[str] = []
        if not decisions and not outdated:
            try:
                changes, effects = self._preview(request, draft, desk, row)
            except DraftInvalid as error:
                outdated, effects = True, [str(text) for texts in error.args[0].values() for text in texts]
        others = editing.find_approvers(draft) if is_open else []
        own = draft.drafted_by_id == current_editor(request).pk
        may_decide = is_open and desk.has_draft_permission(request, draft)
        return {
            "title": f"Szkic nr {draft.pk}",
            "draft": draft,
            "row_url": page_url(desk.opts, "change", row.pk) if row is not None else "",
            "changes": changes,
            "effects": effects,
            "outdated": outdated,
            "is_open": is_open,
            "may_withdraw": may_decide,
            "may_approve": may_decide and not outdated and not (own and others),
            "may_submit": may_decide and not outdated and own and bool(others) and draft.state == Draft.State.PREPARED,
            "others": others,
            "own": own,
            "max_reason": max_length(Draft, "reason"),
            "decisions": decisions,
            **self.list_context(request, draft.pk),
            **evidence_of({}, None, draft),
        }

    def _preview(self, request: HttpRequest, draft: Draft, desk: Any, row: Any) -> tuple[list[FieldChange], list[str]]:
        """Return the changed fields and their effects. Writes nothing."""
        if draft.deletion:
            return [], desk.describe_draft(row, None, {})
        # A model form writes into the instance that it is given.
        instance = desk.model._default_manager.get(pk=row.pk) if row is not None else None
        form = desk.read_draft(request, draft, instance)
        after = desk.save_form(request, form, row is not None)
        changes = []
        model_fields = {field.name: field for field in desk.model._meta.fields}
        for name in form.changed_data:
            field, label = model_fields.get(name), str(form.fields[name].label or name)
            before = "" if row is None or field is None else value_in_words(row, field)
            value = value_in_words(after, field) if field is not None else written(form.cleaned_data[name])
            # A field whose default is a function compares with a hidden input, which a draft does not keep.
            if before != value:
                changes.append(FieldChange(label[:1].upper() + label[1:], before, value))
        return changes, desk.describe_draft(row, after, form.cleaned_data)

    def _decide(self, request: HttpRequest, draft: Draft, desk: Any) -> HttpResponse:
        editor, now, reason = current_editor(request), timezone.now(), read_text(request, "reason")
        decision, _, goes_on = request.POST.get("decision", "").partition("_")
        following = self.find_next(request, draft.pk) if goes_on else draft.pk
        write = partial(put_into_effect, request, desk)
        try:
            match decision:
                case "submit":
                    editing.submit_draft(draft=draft, reason=reason, by=editor)
                    self.message_user(request, "Szkic czeka na zatwierdzenie przez drugą osobę.")
                case "approve":
                    editing.approve_draft(draft=draft, reason=reason, write=write, by=editor, on=now)
                    self.message_user(request, f"Wprowadzono zmianę: {draft.title}.")
                case "withdraw":
                    editing.withdraw_draft(draft=draft, reason=reason, by=editor, on=now)
                    done = "wycofano" if draft.drafted_by_id == editor.pk else "odrzucono"
                    self.message_user(request, f"Szkic {done}. Nic się nie zmieniło.")
        except Refusal as refusal:
            self.message_user(request, f"Nic nie zmieniono: {refusal.reason}.", messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        return self.to_row(request, following)


def put_into_effect(request: HttpRequest, desk: Any, draft: Draft, row: Model | None) -> None:
    """Carry out a draft, with its reason in the history. Raises DraftInvalid."""
    reason = editing.history_reason(draft)[:100]
    if draft.deletion:
        row._change_reason = reason  # type: ignore[union-attr] # read by simple-history
        desk.erase_draft(request, row)
        return
    form = desk.read_draft(request, draft, row)
    obj = desk.save_form(request, form, row is not None)
    obj._change_reason = reason
    desk.write_draft(request, obj, form, row is not None)


def value_in_words(row: Any, field: Any) -> str:
    return written(str(getattr(row, field.name))) if field.is_relation else in_words(field, getattr(row, field.attname))
