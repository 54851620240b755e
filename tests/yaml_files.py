"""YAML of tests, read as strictly as that of the service: a key that is given twice is refused."""

from typing import Any

from pydantic import RootModel


class AnyContent(RootModel[Any]):
    """Whatever a file holds."""
