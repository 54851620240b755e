"""Sample commands of operations in the API description."""

from typing import Any


def samples(*calls: tuple[str, str]) -> dict[str, Any]:
    """Return commands that answer 200 with the starter data. calls: (purpose, arguments of `curl`).

    `x-codeSamples` is a convention of documentation tools. URLs begin with "/api/v1"; serving prepends the site.
    """
    return {
        "x-codeSamples": [{"lang": "Shell", "label": label, "source": f"curl {command}"} for label, command in calls]
    }
