"""The service with a calculator that fails while it holds the application: what does a failure tell?"""

from typing import Any, NoReturn

from fueldepot.wsgi import application
from subsidy import viewsets


def fail(stated: Any, rules: Any, day: Any) -> NoReturn:
    """Stand for a mistake of ours."""
    raise RuntimeError(f"cannot calculate {stated!r}")


viewsets.calculate = fail

__all__ = ["application"]
