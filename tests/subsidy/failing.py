"""The service with a calculator that fails while it holds an application."""

from typing import Any, NoReturn

from fueldepot.wsgi import application
from subsidy.api import views


def fail(stated: Any, rules: Any) -> NoReturn:
    raise RuntimeError(f"cannot calculate {stated!r}")


views.calculate = fail

__all__ = ["application"]
