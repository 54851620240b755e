from django.db import migrations


class Migration(migrations.Migration):
    """Postcodes without numbers of addresses get another municipality; `catalog.apps` rebuilds an index of before."""

    dependencies = [("catalog", "0036_choices_of_fuels")]

    operations = []
