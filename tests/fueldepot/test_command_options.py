"""Options that commands, their messages and the documents name: that each exists in its command."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

from django.core.management import get_commands, load_command_class

from fueldepot.management.import_command import ImportCommand
from tests import APPS, ROOT

OURS = {name: app for name, app in get_commands().items() if app in APPS}
DJANGOS = ("check", "migrate", "collectstatic", "sendtestemail")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
NAMED = re.compile(rf"\b({'|'.join(OURS)}|(?:{'|'.join(DJANGOS)})(?= --))\b([^`\"'|#;&\n]*)")
"""A command with what follows it, to the end of the code or the sentence."""


@cache
def options_of(command: str) -> frozenset[str]:
    parser = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
    return frozenset(parser._option_string_actions)


def importing(*apps: str) -> list[str]:
    """Return the commands that say the refusals of the importers of these apps.

    Not `load_starter`: it fills empty data sets, where nothing can be removed or newer.
    """
    commands = {name: load_command_class(app, name) for name, app in OURS.items()}
    return [
        name
        for name, command in commands.items()
        if name in {"import_data", "refresh"}
        or (isinstance(command, ImportCommand) and name != "load_starter" and imported_apps(command) & {*apps})
    ]


def imported_apps(command: ImportCommand) -> set[str]:
    text = Path(inspect.getfile(type(command))).read_text()
    return {app for app in APPS if f"from {app}." in text}


def speakers(module: Path) -> list[str]:
    """Return the commands that may print the strings of a module, [] for none."""
    app, *folders = module.relative_to(ROOT).parts
    if folders[:2] == ["management", "commands"]:
        return [module.stem] if module.stem in OURS else []
    if folders[:1] == ["importers"]:
        # The refusals of the catalog's importers are shared by all.
        return importing(*APPS) if app == "catalog" else importing(app)
    return []


def strings(module: Path) -> list[str]:
    tree = ast.parse(module.read_text())
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
    ]


MODULES = [path for app in APPS for path in sorted((ROOT / app).rglob("*.py")) if speakers(path)]


def test_messages_refusals_of_imports_among_them_name_options_of_the_command_that_says_them():
    named = set()
    for module in MODULES:
        for text in strings(module):
            named.update(OPTION.findall(text))
            for option in OPTION.findall(NAMED.sub("", text)):
                assert [name for name in speakers(module) if option not in options_of(name)] == [], text
    assert {"--allow-older", "--allow-removals", "--commit"} <= named
    assert "refresh" in speakers(ROOT / "catalog" / "importers" / "import_steps.py")


TEXTS = [
    path
    for pattern in ("*.md", "compose.yaml", "docs/**/*", "templates/**/*", *(f"{app}/**/*.py" for app in APPS))
    for path in sorted(ROOT.glob(pattern))
    if path.is_file() and path.suffix != ".png"
]


def test_documents_and_messages_name_options_of_the_command_beside_them():
    pairs = [
        (path.name, command, option)
        for path in TEXTS
        for command, rest in NAMED.findall(path.read_text(errors="ignore"))
        for option in OPTION.findall(rest)
    ]
    assert len(pairs) > 20
    assert [pair for pair in pairs if pair[2] not in options_of(pair[1])] == []
