"""Commands as an operator calls them."""

import io
from typing import Any

from django.core.management import call_command


def run(name: str, *arguments: object, **options: Any) -> str:
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, **options)
    return out.getvalue()
