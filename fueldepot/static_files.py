"""Static files storage."""

from django.contrib.staticfiles.apps import StaticFilesConfig as DjangoStaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # the library has no types
    """Files named by content hash. Names and URLs are cached per process."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self._urls: dict[tuple[str, bool], str] = {}
        super().__init__(*args, **kwargs)

    def url(self, name: str, force: bool = False) -> str:
        """Return the URL of a file."""
        url = self._urls.get((name, force))
        if url is None:
            url = self._urls[name, force] = super().url(name, force)
        return url


class StaticFilesConfig(DjangoStaticFilesConfig):
    """Excludes unused static files of packages."""

    ignore_patterns = [*DjangoStaticFilesConfig.ignore_patterns, "redoc"]
