"""Print how often typed questions find what was meant: python -m tests.catalog.search [DIR] [--tuning] [--missed].

DIR has the publishers' files; without it the starter data are searched. The questions are those held out from tuning;
with --tuning the other half, and only of these --missed lists the questions that find nothing right.
"""

import argparse
import os
import sys
from pathlib import Path

import django


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.catalog.search", description=__doc__)
    parser.add_argument("dir", type=Path, nargs="?")
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--missed", action="store_true")
    given = parser.parse_args()

    from tests.catalog.search.country import published_register, questions_of, search_of, starter_register
    from tests.catalog.search.questions import count_hits, halves

    register = published_register(given.dir) if given.dir else starter_register()
    tuning, held_out = halves(questions_of(register))
    table = count_hits(search_of(register), tuning if given.tuning else held_out)
    sys.stdout.write(f"{'kind of question':32} {'asked':>6} {'at 1':>6} {'at 3':>6}\n")
    for kind, hits in table.items():
        sys.stdout.write(f"{kind:32} {hits.asked:6} {hits.at_1:6.3f} {hits.at_3:6.3f}\n")
        if given.missed and given.tuning and ":" in kind:
            sys.stdout.writelines(f"    {text}\n" for text in hits.missed)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    # Nothing is read from a database.
    os.environ.setdefault("DATABASE_URL", "postgresql://nobody@/none")
    os.environ.setdefault("SECRET_KEY", "questions")
    django.setup()
    main()
