"""The safe loader of YAML: that of libyaml, eight times as fast, where PyYAML was built with it, as its wheels are.

Every process reads the rules of the subsidy when it starts, and the first to need them the sources. For files of this
project only: what is nested without end would end the process.
"""

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

__all__ = ["SafeLoader"]
