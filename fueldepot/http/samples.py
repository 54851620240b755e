"""Sample commands of operations in the API description, and what operations answer in Polish."""

from typing import Any


def samples(*calls: tuple[str, str], polish: str) -> dict[str, Any]:
    """Return commands that answer 200 with the starter data. calls: (purpose, arguments of `curl`).

    `x-codeSamples` is a convention of documentation tools. URLs begin with "/api/v1"; serving prepends the site.
    polish: what the operation answers, for the page of the API.
    """
    return {
        "x-summary-pl": polish,
        "x-codeSamples": [{"lang": "Shell", "label": label, "source": f"curl {command}"} for label, command in calls],
    }
