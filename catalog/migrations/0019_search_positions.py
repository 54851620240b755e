from django.db import migrations, models


class Migration(migrations.Migration):
    """Entries of the search index have a position; `catalog.apps` rebuilds an index of before."""

    dependencies = [
        ("catalog", "0018_expiry_letters"),
    ]

    operations = [
        migrations.AddField(model_name="searchentry", name="lat", field=models.FloatField(null=True)),
        migrations.AddField(model_name="searchentry", name="lon", field=models.FloatField(null=True)),
        migrations.AddField(
            model_name="searchentry",
            name="position",
            field=models.CharField(
                blank=True,
                choices=[("place", "Place"), ("postcode", "Postcode"), ("municipality", "Municipality")],
                default="",
                max_length=12,
            ),
            preserve_default=False,
        ),
    ]
