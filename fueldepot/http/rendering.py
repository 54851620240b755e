"""Rendering of API responses. Apart from the routes because DRF imports it during start."""

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.metadata import BaseMetadata
from rest_framework.renderers import BaseRenderer

JSON = "application/json"


class JsonRenderer(BaseRenderer):
    """JSON by orjson: numbers as numbers, dates as YYYY-MM-DD, Polish letters unescaped."""

    media_type = JSON
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return the bytes of a response; empty without a body."""
        return b"" if data is None else orjson.dumps(data)


class NoMetadata(BaseMetadata):
    """OPTIONS returns the Allow header and no body."""

    def determine_metadata(self, request: Any, view: Any) -> None:
        return None
