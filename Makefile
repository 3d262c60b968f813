# make demo    a real evaluation, in a new virtual environment
# make test    the tests        make lint    ruff, mypy, import-linter
# make docs    the site         make bench   the benchmarks

VENV := .venv
BIN := $(VENV)/bin
# The first Python from 3.11 on that starts; set PYTHON to choose another.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test lint docs bench schema picture test-lowest test-pythons clean

demo: $(VENV)/base
	$(BIN)/steelyard run examples/quickstart.yaml

test: $(VENV)/test
	$(BIN)/python -m pytest

lint: $(VENV)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/base
	$(BIN)/python benchmarks/evaluate_recorded.py

# Files made from the code; tests fail when they are out of date.
schema: $(VENV)/base
	$(BIN)/steelyard schema > docs/evals.schema.json

picture: $(VENV)/base
	$(BIN)/python docs/make_picture.py

# The suite on the lower bounds of pyproject.toml, and on the other Pythons that are installed.
test-lowest: $(VENV)/base
	$(BIN)/python tests/other_environments.py --lowest

test-pythons: $(VENV)/base
	$(BIN)/python tests/other_environments.py 3.12 3.13

$(VENV)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; set PYTHON to one"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/base: $(VENV)/python pyproject.toml
	$(PIP) --editable .
	@touch $@

$(VENV)/test $(VENV)/lint $(VENV)/docs: $(VENV)/%: $(VENV)/python pyproject.toml
	$(PIP) --editable '.[$*]'
	@touch $@ $(VENV)/base

clean:
	rm -rf $(VENV) .venv-* site build
