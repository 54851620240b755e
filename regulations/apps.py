from django.apps import AppConfig


class RegulationsConfig(AppConfig):
    name = "regulations"
    verbose_name = "Przepisy"

    def ready(self) -> None:
        from functools import partial

        from catalog.importers.successions import CODE_CHANGE_HANDLERS
        from catalog.services.journal import UNDO_HANDLERS
        from regulations import models, services

        for model in (models.Deadline, models.FuelBan):
            UNDO_HANDLERS[model._meta.label_lower] = partial(services.undo_rows, model)

        CODE_CHANGE_HANDLERS.append(services.follow_codes)
