from django.db import migrations


class Migration(migrations.Migration):
    """Towns without a number of addresses lead their postcodes; `catalog.apps` rebuilds an index of before."""

    dependencies = [("catalog", "0041_vouching_lines")]

    operations = []
