"""Extensions of drf-spectacular's schema generation."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from fueldepot.http.errors import ErrorSerializer


class Schema(AutoSchema):
    """Adds `style["example"]` of fields, and the shared error body of operations."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Return the operation, None for a view without a description."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        self.resolve_serializer(ErrorSerializer, "response")
        return operation

    def _map_serializer_field(self, field: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        schema = super()._map_serializer_field(field, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        # The first key is for a hook that names enumerations, the second is redundant for a JSON number.
        schema.pop("x-spec-enum-id", None)
        if schema.get("format") == "double":
            del schema["format"]
        if "example" in field.style:
            schema["examples"] = [field.style["example"]]
        return schema
