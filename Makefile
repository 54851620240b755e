# The main jobs. Everything they need is installed into .venv; data live under var/.

PYTHON ?= python3.11
PORT ?= 8000
WORKERS ?= 2
DATA ?=
BIN = .venv/bin
# manage.py by itself never guesses the database: here it is the one that `make run` serves.
MANAGE = DATABASE_URL="$${DATABASE_URL:-embedded}" $(BIN)/python manage.py

.PHONY: run test fast coverage lint bench golden openapi admin manage lock help

help:
	@echo "make run [PORT=8000] [DATA=dir] [WORKERS=2]   serve the catalog on 127.0.0.1"
	@echo "make test     run the tests          make lint    check style, types and imports"
	@echo "make fast     run those that take no more than a minute together"
	@echo "make admin    create an editor       make bench   measure speed and memory"
	@echo "make manage ARGS=\"command …\"        run a command of manage.py on the catalog of make run"
	@echo "make golden   rewrite the expected answers       make lock   renew the locked dependencies"
	@echo "make openapi  rewrite the published description of the API"
	@echo "make coverage run the tests and list what they do not run"

.venv/run: requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/dev: requirements-dev.lock .venv/run
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

run: .venv/run
	@exec $(BIN)/python -m fueldepot.serve --port $(PORT) --workers $(WORKERS) --data "$(DATA)"

admin: .venv/run
	@SITE_URL="$${SITE_URL:-http://127.0.0.1:$(PORT)}" $(MANAGE) create_editor

manage: .venv/run
	@$(MANAGE) $(ARGS)

test: .venv/dev
	@$(BIN)/pytest -q -n 2 $(ARGS)

# What is asked at every change: all that needs no process of its own. `make test` and CI run the rest as well.
fast: .venv/dev
	@$(BIN)/pytest -q -n 2 -m "not slow and not full_scale and not live and not browser and not machines" $(ARGS)

coverage: .venv/dev
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n 2 $(ARGS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report

golden: .venv/dev
	@UPDATE_GOLDEN=1 $(BIN)/pytest -q tests -k golden

openapi: .venv/dev
	@$(MANAGE) write_openapi

lint: .venv/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@SECRET_KEY=lint DATABASE_URL=postgresql://lint@/lint $(BIN)/mypy
	@$(MANAGE) makemigrations --check --dry-run
	@$(BIN)/python -m tests.audit

bench: .venv/dev
	@$(BIN)/python -m tests.bench $(ARGS)
	@$(BIN)/python -m tests.bench.prices

lock:
	@test -x $(BIN)/pip-compile || $(MAKE) .venv/dev
	$(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--strip-extras --allow-unsafe --no-header -o requirements.lock pyproject.toml
	$(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--strip-extras --allow-unsafe --no-header --extra dev -c requirements.lock -o requirements-dev.lock pyproject.toml
