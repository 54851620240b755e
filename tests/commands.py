"""Commands as an operator calls them."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command


def run(name: str, *arguments: object, **options: Any) -> str:
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def refusal(name: str, *arguments: object, **options: Any) -> str:
    """What a command says that fails, on one line."""
    with pytest.raises(CommandError) as refused:
        run(name, *arguments, **options)
    assert "\n" not in str(refused.value)
    return str(refused.value)
