"""`python -m fueldepot.ask_health`: exit with 0 if gunicorn in this container answers `/healthz`, else 1.

Standard library only: it runs every few seconds.
"""

import http.client
import os
import sys
from urllib.parse import urlsplit


def is_alive(port: int, host: str) -> bool:
    """Whether the service on a local port answers, with its own Host header."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=4)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    site = urlsplit(os.environ.get("SITE_URL", "http://127.0.0.1"))
    sys.exit(not is_alive(int(os.environ.get("PORT", "8000")), site.hostname or "127.0.0.1"))
