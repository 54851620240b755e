"""Safe loaders of YAML that refuse a key given twice: YAML itself would silently keep the last.

`SafeLoader` is that of libyaml, eight times as fast, where PyYAML was built with it, as its wheels are: every process
reads the rules of the subsidy when it starts, and the first to need them the sources. It is for files of this project
only: what is nested without end would end the process. `PlainLoader` takes anybody's file.
"""

from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _FastLoader
except ImportError:
    from yaml import SafeLoader as _FastLoader  # type: ignore[assignment]

__all__ = ["PlainLoader", "SafeLoader"]


class _UniqueKeys:
    """For a loader: raises ConstructorError, with the line of the mapping's key, for one that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: list[Any] = []
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)  # type: ignore[attr-defined] # of the loader
            if key in found:
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} stands twice", key_node.start_mark)
            found.append(key)
        return super().construct_mapping(node, deep)  # type: ignore[misc, no-any-return] # of the loader


class SafeLoader(_UniqueKeys, _FastLoader):
    """The fast one, for files of this project."""


class PlainLoader(_UniqueKeys, yaml.SafeLoader):
    """The one in Python, which raises RecursionError for what is nested without end."""
