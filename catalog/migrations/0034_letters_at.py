"""The moments of letters are named after them. Their columns keep the name that the last release reads."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


def moments(**options: Any) -> "ArrayField[Any, Any]":
    name = "kiedy wysłano odnośniki"
    return ArrayField(
        models.DateTimeField(), verbose_name=name, default=list, blank=True, db_column="links_at", **options
    )


class Migration(migrations.Migration):
    dependencies = [("catalog", "0033_owners_changes_and_restoring")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField("submission", "links_at", moments(db_default=[])),
                migrations.AlterField("ownerlink", "links_at", moments()),
                migrations.AlterField("subscription", "links_at", moments()),
                *(
                    migrations.RenameField(model, "links_at", "letters_at")
                    for model in ("submission", "ownerlink", "subscription")
                ),
            ]
        )
    ]
