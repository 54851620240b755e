from django.db import migrations


class Migration(migrations.Migration):
    """The search lists cities with county rights before towns; `catalog.apps` rebuilds an index of before."""

    dependencies = [("catalog", "0039_losses_of_owners")]

    operations = []
