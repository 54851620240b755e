"""Which release of the code is running: a part of every validator, since new code may write an answer differently."""

from functools import cache
from hashlib import blake2b

from django.conf import settings

PARTS = ("fueldepot", "catalog", "prices", "regulations", "subsidy", "pages", "templates")
WRITES_ANSWERS = {".py", ".html", ".md", ".txt", ".yaml", ".css", ".js", ".svg", ".json"}


@cache
def release() -> str:
    """A digest of the project's own files and of the settings that answers show; equal on every machine that runs both.

    Reads some hundred files once in the life of a process.
    """
    digest = blake2b(digest_size=8)
    for part in PARTS:
        for path in sorted((settings.BASE_DIR / part).rglob("*")):
            if path.suffix in WRITES_ANSWERS:
                digest.update(path.relative_to(settings.BASE_DIR).as_posix().encode())
                digest.update(path.read_bytes())
    for shown in (settings.SITE_URL, settings.SITE_NAME, settings.OPERATOR_NAME, settings.CONTACT_EMAIL):
        digest.update(f"\0{shown}".encode())
    return digest.hexdigest()
