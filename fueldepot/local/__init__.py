"""`make run`, the tests and commands of a checkout without configuration.

Defaults are an embedded database and a secret key under `var/`.

For interactive entry points: the server of `make run`, pytest, and `manage.py` with `DATABASE_URL=embedded`. Not used
by WSGI in production, where settings require `DATABASE_URL` and `SECRET_KEY`.
"""

import os
import secrets
import tempfile
from pathlib import Path

from fueldepot.local import embedded
from fueldepot.local.postgres import EmbeddedError

PROJECT_ROOT = Path(__file__).resolve().parents[2]
SECRET_KEY_BYTES = 50
EMBEDDED = "embedded"
"""Value of `DATABASE_URL` for the embedded server."""


def prepare(root: Path = PROJECT_ROOT, *, server: str = "postgres") -> Path | None:
    """Set missing `DATABASE_URL` and `SECRET_KEY` in the environment, from `var/` below `root`.

    Also replaces `DATABASE_URL=embedded`. server: directory of the embedded server in `var/`. Returns its path, None
    if another database is used.

    Call it before Django reads its settings. Child programs inherit the variables; see `embedded.ensure` for the life
    of the server.

    Raises SystemExit with one line for stderr and exit status 1.
    """
    var, data = root / "var", None
    try:
        if not is_set("DATABASE_URL") or os.environ.get("DATABASE_URL", "").strip() == EMBEDDED:
            data = var / server
            os.environ["DATABASE_URL"] = embedded.ensure(data)
            # `back_up` needs the server's own pg_dump: an older one of the machine refuses it.
            os.environ["PATH"] = f"{embedded.binaries()}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        if os.environ.keys().isdisjoint({"SECRET_KEY", "SECRET_KEY_FILE"}):
            os.environ["SECRET_KEY"] = _secret_key(var / "secret_key")
    except EmbeddedError as error:
        raise SystemExit(f"fueldepot: {error}") from None
    except OSError as error:
        raise SystemExit(
            f"fueldepot: {error.strerror}: {error.filename}; make it usable for this user, or set SECRET_KEY"
        ) from None
    return data


def is_set(name: str) -> bool:
    """Whether a variable is given, or the file that holds it."""
    return any(os.environ.get(variable, "").strip() for variable in (name, f"{name}_FILE"))


def _secret_key(file: Path) -> str:
    """Return the key in `file`, which is created with mode 0600 if missing.

    Of concurrent processes one creates it and all return the same. Raises OSError, or SystemExit if the file holds no
    key.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        _create_whole(file, secrets.token_urlsafe(SECRET_KEY_BYTES) + "\n")
    key = file.read_text(encoding="utf-8", errors="replace").strip()
    if not key:
        raise SystemExit(f"fueldepot: {file} is empty: delete it, and a new key is made")
    return key


def _create_whole(file: Path, content: str) -> None:
    """Create `file` with `content` and mode 0600 atomically, unless it exists."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            file.hardlink_to(draft)  # unlike a rename, fails if it exists
        except FileExistsError:
            return
    finally:
        draft.unlink()
