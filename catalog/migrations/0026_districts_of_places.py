from django.db import migrations, models


class Migration(migrations.Migration):
    """Places know their district; `catalog.apps` rebuilds an index of before.

    Districts of the starter data carry their code in their identifier. Those of SIMC get theirs with the next import.
    """

    dependencies = [
        ("catalog", "0025_fuels_priced"),
    ]

    operations = [
        migrations.AddField(
            model_name="place",
            name="district",
            field=models.CharField(blank=True, db_default="", max_length=7, verbose_name="dzielnica"),
        ),
        migrations.RunSQL(
            "UPDATE catalog_place SET district = substr(id, 6) WHERE id LIKE 'terc:%'", migrations.RunSQL.noop
        ),
    ]
