"""`make`: install the locked packages into `.venv`, created if missing.

python -m fueldepot.local.install requirements-embedded.lock …

Runs before anything is installed, with the standard library only. The Makefile chooses the interpreter.
"""

import filecmp
import shutil
import subprocess
import sys
from pathlib import Path

from fueldepot.local.embedded import hold_alone

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
VERSION = "{}.{}".format(*sys.version_info)


def main() -> None:
    """Install the named files together, unless they were installed last. One process at a time."""
    files = [ROOT / name for name in sys.argv[1:]]
    try:
        with hold_alone(ROOT / "var" / "install.lock", "fueldepot: another make installs into .venv; waiting") as lock:
            check_version()
            if not all(is_installed(file) for file in files):
                install(files, lock)
    except KeyboardInterrupt:
        sys.exit("fueldepot: stopped before everything was installed")
    except OSError as error:
        sys.exit(f"fueldepot: {error.strerror}: {error.filename}; make it usable for this user")


def check_version() -> None:
    """Exit with one line unless `.venv` has a working interpreter of this version."""
    if not VENV.exists() and not VENV.is_symlink():
        return
    print_version = "import sys; print('{}.{}'.format(*sys.version_info))"
    try:
        done = subprocess.run([PYTHON, "-c", print_version], capture_output=True, text=True, check=False)  # noqa: S603
        version = done.stdout.strip()
    except OSError:
        version = ""
    if version != VERSION:
        other = version or "that does not run"
        sys.exit(f"fueldepot: .venv has Python {other}, not {VERSION}: remove .venv, then make again")


def is_installed(file: Path) -> bool:
    """Whether `.venv` has a copy of `file`, stored when its packages were installed."""
    copy = VENV / file.name
    return copy.exists() and filecmp.cmp(file, copy, shallow=False)


def install(files: list[Path], lock: int) -> None:
    """Install `files`, and store copies of them in `.venv`; exit with pip's status if it fails."""
    print(f"installing {' and '.join(file.name for file in files)} into .venv", file=sys.stderr)  # noqa: T201
    commands = []
    if not (VENV / "bin" / "pip").exists():  # also after an interrupted creation
        commands.append([sys.executable, "-m", "venv", str(VENV)])
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    commands.append([*pip, *(f"--requirement={file}" for file in files)])
    for copy in VENV.glob("*.lock"):
        copy.unlink()
    for command in commands:
        # The child inherits the lock: if this process is killed, the next one waits for the child.
        status = subprocess.run(command, pass_fds=(lock,), check=False).returncode  # noqa: S603
        if status:
            sys.exit(status)
    for file in files:
        shutil.copyfile(file, VENV / file.name)


if __name__ == "__main__":
    main()
