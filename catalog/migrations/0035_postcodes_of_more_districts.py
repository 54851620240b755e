from django.db import migrations


class Migration(migrations.Migration):
    """Districts of Wrocław, Łódź and Poznań have postcodes; `catalog.apps` rebuilds an index of before."""

    dependencies = [("catalog", "0034_letters_at")]

    operations = []
