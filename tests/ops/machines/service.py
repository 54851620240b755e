"""The whole service on several machines, from an empty folder to a proxy that answers."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from tests.fueldepot.sharers import eventually
from tests.ops.machines.callers import HOST, SITE_URL, Caller
from tests.ops.machines.patroni import Cluster
from tests.ops.machines.servers import Application, Nginx, Postgres, Redis
from tests.ports import free_ports

PATHS = [
    *("/api/v1/stores?lat=50.06&lon=19.94&limit=5", "/sklady/malopolskie/zakopane-1217011/"),
    *("/api/v1/locations?q=zakop", "/ceny/pellet/", "/api/v1/locate?lat=49.2992&lon=19.9496"),
    *("/api/v1/prices/pellet", "/sklady/malopolskie.md", "/api/v1/regulations?postcode=30-001"),
]
"""What people read, pages and API."""


class Service:
    """All of it, below one folder outside the checkout, where the user of the database may go."""

    def __init__(self, home: Path, cluster: Cluster | None = None) -> None:
        database, redis, first, second, plain, tls = free_ports(6)
        self.database: Any = cluster or Postgres(home / "database", database)
        self.redis = Redis(home / "redis", redis)
        settings = {
            "DATABASE_URL": self.database.url,
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
        self.nginx = Nginx(home / "nginx", (plain, tls), (first, second))
        self.servers: list[Any] = [self.database, self.redis, *self.applications, self.nginx]

    @contextmanager
    def running(self) -> Iterator[Self]:
        try:
            self.build_up()
            assert eventually(self.all_know_the_database, 90)
            yield self
        finally:
            for server in reversed(self.servers):
                server.kill()

    def build_up(self) -> None:
        """In the order of docs/production.md."""
        self.database.make()
        self.database.ready()
        first = self.applications[0]
        first.manage("migrate", "--no-input", "--verbosity", "0")
        first.manage("load_starter")
        self.redis.ready()
        first.manage("collectstatic", "--no-input", "--verbosity", "0")
        for application in self.applications:
            application.ready()
        self.nginx.ready()

    def lose_one_after_the_other(self, go_through: Callable[..., None]) -> None:
        """Kill each gunicorn and Redis, and start it again. go_through: as that of `Load`."""
        for server in (*self.applications, self.redis):
            go_through(f"{server.name} killed", server.kill, cuts=server is not self.redis)
            go_through(f"{server.name} back", server.ready)

    def all_know_the_database(self, *, away: bool = False) -> bool:
        """Whether both gunicorns have found the database to answer, or to be away."""
        said = [application.ask("/readyz") for application in self.applications]
        return all(one is not None and one["checks"]["database"]["ok"] is not away for one in said)

    def caller(self, address: str = "127.0.0.1", gunicorn: Application | None = None) -> Caller:
        """Somebody at an address. gunicorn: asks this one, and not by the proxy."""
        return Caller((gunicorn or self.nginx).port, address, direct=gunicorn is not None)
