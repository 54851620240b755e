from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    """Claims remember which owners have been told of them."""

    dependencies = [("catalog", "0037_main_municipalities_of_postcodes")]

    operations = [
        migrations.AddField(
            "submission",
            "owners_told",
            ArrayField(
                models.BigIntegerField(),
                verbose_name="powiadomieni właściciele",
                default=list,
                blank=True,
                db_default=[],
            ),
        ),
    ]
