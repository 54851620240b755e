from django.apps import AppConfig


class RegulationsConfig(AppConfig):
    name = "regulations"
    verbose_name = "Przepisy"

    def ready(self) -> None:
        """Register the system checks and the handler of changed TERYT codes."""
        from catalog.importers.sync.successors import CODE_CHANGE_HANDLERS
        from regulations import checks  # noqa: F401
        from regulations.successors import follow_codes

        if follow_codes not in CODE_CHANGE_HANDLERS:
            CODE_CHANGE_HANDLERS.append(follow_codes)
