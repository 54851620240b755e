"""The whole service on several machines, from an empty folder to a proxy that answers."""

import secrets
from pathlib import Path
from typing import Any

from tests.machines.callers import HOST, SITE_URL, Caller
from tests.machines.servers import Application, Nginx, Postgres, Redis, Server, free_ports

LAG_S = 4
PATHS = [
    "/api/v1/stores?lat=50.06&lon=19.94&limit=5",
    "/sklady/malopolskie/zakopane-1217011/",
    "/api/v1/locations?q=zakop",
    "/ceny/pellet/",
    "/api/v1/locate?lat=49.2992&lon=19.9496",
    "/api/v1/prices/pellet",
    "/sklady/malopolskie.md",
    "/api/v1/regulations?postcode=30-001",
]
"""What people read, pages and API."""


class Service:
    """All of it, below one folder outside the checkout, where the user of the database may go."""

    def __init__(self, home: Path) -> None:
        primary, replica, redis, first, second, plain, tls = free_ports(7)
        self.primary = Postgres(home / "primary", primary, "primary")
        self.replica = Postgres(home / "replica", replica, "replica")
        self.redis = Redis(home / "redis", redis)
        settings = {
            "DATABASE_URL": self.primary.url,
            "DATABASE_REPLICA_URL": self.replica.url,
            "REPLICA_MAX_LAG": str(LAG_S),
            "CACHE_URL": self.redis.url,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "SITE_URL": SITE_URL,
            "ALLOWED_HOSTS": HOST,
            "TRUSTED_PROXIES": "127.0.0.1",
            "EMAIL_URL": "consolemail://",
            "RATE_LIMIT": "9999/hour",
        }
        self.applications = [
            Application(home / "first", first, "first gunicorn", settings),
            Application(home / "second", second, "second gunicorn", settings),
        ]
        self.nginx = Nginx(home / "nginx", (plain, tls), self.applications)
        self.callers: list[Caller] = []
        self.servers: list[Server] = [self.primary, self.replica, self.redis, *self.applications, self.nginx]

    def build_up(self) -> None:
        """In the order of docs/operations.md."""
        self.primary.make()
        self.primary.ready()
        first = self.applications[0]
        first.manage("migrate", "--no-input", "--verbosity", "0")
        first.manage("load_starter")
        self.replica.copy(self.primary)
        self.replica.ready()
        self.redis.ready()
        first.manage("collectstatic", "--no-input", "--verbosity", "0")
        for application in self.applications:
            application.ready()
        self.nginx.ready()

    def databases(self) -> list[dict[str, Any]]:
        """What each gunicorn says of the two databases."""
        states = [application.ask("/readyz") or {} for application in self.applications]
        return [state.get("databases", {}) for state in states]

    def all_read_the_replica(self) -> bool:
        """Whether both gunicorns have found both databases in order."""
        return all(found and all(known["ok"] for known in found.values()) for found in self.databases())

    def caller(self, address: str = "127.0.0.1") -> Caller:
        """Somebody at an address, who hangs up after the test."""
        self.callers.append(Caller(self.nginx.port, address))
        return self.callers[-1]

    def stop(self) -> None:
        for server in reversed(self.servers):
            server.kill()
