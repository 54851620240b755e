"""Where static files are, as templates name them."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # the library has no types
    """Files named by their content. The names are read once per process, and so are the addresses made of them."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self._urls: dict[tuple[str, bool], str] = {}
        super().__init__(*args, **kwargs)

    def url(self, name: str, force: bool = False) -> str:
        """The address of a file."""
        url = self._urls.get((name, force))
        if url is None:
            url = self._urls[name, force] = super().url(name, force)
        return url
