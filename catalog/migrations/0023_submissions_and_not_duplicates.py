"""New names in Python for submissions and for pairs that are no duplicates. Tables and columns stay as they are."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0022_owner_links"),
        ("prices", "0004_visits_and_withdrawals"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelTable("DepotRequest", "catalog_depotrequest"),
                migrations.AlterModelTable("DistinctPair", "catalog_distinctpair"),
            ]
        ),
        # These two change no table; Django renames the content types with them.
        migrations.RenameModel("DepotRequest", "Submission"),
        migrations.RenameModel("DistinctPair", "NotDuplicate"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("Submission", "depotrequest_untold"),
                migrations.AlterField(
                    "Submission",
                    "letter_owed",
                    models.BooleanField(
                        db_column="letter_owed",
                        db_default=False,
                        default=False,
                        verbose_name="list o decyzji nie wyszedł",
                    ),
                ),
                migrations.RenameField("Submission", "letter_owed", "notification_pending"),
                migrations.AddIndex(
                    "Submission",
                    models.Index(
                        condition=models.Q(("notification_pending", True)),
                        fields=["decided_at"],
                        name="depotrequest_untold",
                    ),
                ),
                migrations.AlterField(
                    "Submission",
                    "depot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submissions",
                        to="catalog.depot",
                        verbose_name="skład",
                    ),
                ),
                migrations.AlterField(
                    "DepotMerge",
                    "open_requests",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        db_column="open_requests",
                        default=list,
                        size=None,
                        verbose_name="otwarte zgłoszenia",
                    ),
                ),
                migrations.RenameField("DepotMerge", "open_requests", "open_submissions"),
                migrations.AlterField(
                    "DepotMerge",
                    "closed_requests",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        db_column="closed_requests",
                        default=list,
                        size=None,
                        verbose_name="zamknięte zgłoszenia",
                    ),
                ),
                migrations.RenameField("DepotMerge", "closed_requests", "closed_submissions"),
                migrations.AlterField(
                    "DepotBatch",
                    "closed_requests",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        db_column="closed_requests",
                        default=list,
                        size=None,
                        verbose_name="zamknięte zgłoszenia",
                    ),
                ),
                migrations.RenameField("DepotBatch", "closed_requests", "closed_submissions"),
            ]
        ),
    ]
