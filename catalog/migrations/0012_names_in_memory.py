from django.db import migrations


class Migration(migrations.Migration):
    """Names are looked up in the memory of each process: `catalog.search.index`."""

    dependencies = [
        ("catalog", "0011_depot_merges"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="searchentry", name="searchentry_fold_rank"),
        migrations.RemoveIndex(model_name="searchentry", name="searchentry_fold_trigram"),
        migrations.DeleteModel(name="ShortFragment"),
    ]
