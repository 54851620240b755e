"""Consistency of the files of the project: names in documents, names of classes, lock files, tracked files."""

import ast
import re
import subprocess
from collections import Counter, defaultdict
from functools import cache

import pytest
from django.apps import apps

from tests import APPS, ROOT

TOP = (*APPS, "docs", "templates", "tests", ".ci", ".github")
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if path.name not in {"CHANGELOG.md"}
)
NAMED = re.compile(rf"`((?:{'|'.join(map(re.escape, TOP))})/[\w./*-]*)`")
LINKED = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
FILE_SUFFIXES = {"csv", "html", "json", "py", "yaml", "yml"}
MEMBER = re.compile(r"`(?:\w+\.)*(\w+)\.(\w+)(?:\(\))?`")
CONSTANT = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`")
MODULE = re.compile(r"`(\w+\.py)`")
FOR_DJANGO = {"Command", "Migration", "Meta"}
VAGUE = {"found", "one", "known", "given", "said", "asked", "shown", "wanted", "told", "made", "besides"}
MOST_VAGUE = 14
"""Lower it with every change that binds fewer: names say what a value is, such as rows, depot, unit, point or text."""


@cache
def sources():
    """Return the Python files of the project with their texts."""
    files = [file for folder in (*APPS, "tests") for file in (ROOT / folder).rglob("*.py")]
    return {file: file.read_text(encoding="utf-8") for file in [*files, ROOT / "manage.py"]}


@cache
def words():
    return frozenset(re.findall(r"\w+", "\n".join(sources().values())))


@cache
def trees():
    """Return the syntax trees of the files of the apps, without migrations."""
    return {
        file: ast.parse(text)
        for file, text in sources().items()
        if file.relative_to(ROOT).parts[0] in APPS and "migrations" not in file.parts
    }


@cache
def members():
    """Return the names at the top of each module and in the body of each class, by the name of either."""
    found = defaultdict(set)
    for file, tree in trees().items():
        module = file.parent.name if file.name == "__init__.py" else file.stem
        found[module] |= {name for node in tree.body for name in defined(node)}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                found[node.name] |= {name for child in ast.walk(node) for name in defined(child)}
    return found


def defined(node):
    """Yield the names that a node defines or imports."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign() | ast.AnnAssign():
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [part for target in targets for part in ast.walk(target)]
            yield from (part.id for part in parts if isinstance(part, ast.Name))
            yield from (part.attr for part in parts if isinstance(part, ast.Attribute))
        case ast.ImportFrom(names=names):
            yield from (alias.name for alias in names)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_that_documents_name_exist(name):
    document = ROOT / name
    text = document.read_text(encoding="utf-8")
    missing = [path for path in NAMED.findall(text) if not list(ROOT.glob(path.rstrip("/"))) and "…" not in path]
    missing += [path for path in LINKED.findall(text) if not (document.parent / path).exists()]
    assert missing == []


def test_modules_of_the_tables_of_rooms_exist():
    """A table "In `app/`" names modules and folders of the app in its first column."""
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [
        (app, name)
        for app, table in re.findall(r"^\| In `(\w+)/` \|.*\n\|[-|]+\n((?:\|.*\n)+)", document, re.M)
        for row in table.splitlines()
        for name in re.findall(r"`([\w./]+)`", row.split("|")[1])
    ]
    assert len({app for app, _ in rows}) == 6
    # A folder whose modules went may still hold what Python compiled.
    missing = [
        f"{app}/{name}"
        for app, name in rows
        if all("__pycache__" in path.parts for path in ROOT.glob(f"{app}/{name.rstrip('/')}/**/*"))
        and not (ROOT / app / name).is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("name", ["editors", "owners"])
def test_words_in_italics_stand_on_pages(name):
    texts = [text for file, text in sources().items() if file.relative_to(ROOT).parts[0] != "tests"]
    texts += [path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html")]
    text = " ".join("\n".join(texts).lower().split())
    italics = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    stated = {" ".join(phrase.lower().split()) for phrase in italics}
    assert {phrase for phrase in stated if phrase not in text} <= {"12 z 6553"}  # an example


@pytest.mark.parametrize("name", DOCUMENTS)
def test_code_that_documents_name_exists(name):
    """`module.py`, `module.function`, `Class.attribute`, `CONSTANT_NAME`; names of other libraries are not checked."""
    document = (ROOT / name).read_text(encoding="utf-8")
    modules = {file.name for file in sources()}
    missing = [module for module in MODULE.findall(document) if module not in modules]
    missing += [constant for constant in CONSTANT.findall(document) if constant not in words()]
    missing += [
        f"{owner}.{member}"
        for owner, member in MEMBER.findall(document)
        if owner in members().keys() - APPS and member not in members()[owner]
        if member not in FILE_SUFFIXES
    ]
    assert missing == []


def test_one_class_name_is_one_class():
    homes = Counter(node.name for tree in trees().values() for node in tree.body if isinstance(node, ast.ClassDef))
    assert {name for name, count in homes.items() if count > 1} - FOR_DJANGO == set()


def test_names_of_values_say_what_they_are():
    names = [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assert sum(isinstance(name.ctx, ast.Store) and name.id in VAGUE for name in names) <= MOST_VAGUE


def test_the_ground_floor_names_no_table_and_no_model_of_an_app():
    for package in ("data", "http"):
        models = [model for app in APPS for model in apps.get_app_config(app).get_models()]
        names = {name for model in models for name in (model._meta.db_table, f'"{model.__name__}"')} | {"get_model("}
        for file in (ROOT / "fueldepot" / package).rglob("*.py"):
            assert not [name for name in names if name in sources()[file]], file


def test_tracked_files_are_text_of_the_project():
    """Neither what tools leave behind nor what a machine alone has is committed."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a checkout of git")
    assert [name for name in tracked.stdout.splitlines() if re.search(r"(^|/)(\.venv|var|__pycache__)/", name)] == []
