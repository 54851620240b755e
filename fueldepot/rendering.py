"""How answers of the API become bytes. Kept apart from the routes because DRF imports it while it starts."""

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer

JSON = "application/json"


class JsonRenderer(BaseRenderer):
    """JSON by orjson: numbers as numbers, dates as YYYY-MM-DD, Polish letters as they are."""

    media_type = JSON
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Bytes of the answer; nothing for an answer without a body."""
        return b"" if data is None else orjson.dumps(data)


class JsonAlways(BaseContentNegotiation):
    """Answer JSON whatever `Accept` says."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return parsers[0] if parsers else None

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class NoMetadata(BaseMetadata):
    """OPTIONS answers with the Allow header and no body."""

    def determine_metadata(self, request: Any, view: Any) -> None:
        return None
