# make demo   fly the built-in crew through the first suite, offline
# make test   install what the tests need, and run every check and test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test install install-dev lint bench clean

demo: install
	@$(BIN)/simsup demo

test: install-dev lint
	@$(BIN)/simsup check
	@$(BIN)/python -m pytest -n 2

lint: install-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/pyright

bench: install-dev
	@$(BIN)/python benchmarks/overhead.py
	@$(BIN)/python benchmarks/kill.py
	@$(BIN)/python -m benchmarks.world

install: $(VENV)/.installed

install-dev: $(VENV)/.installed-dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("SimSup needs Python 3.11 or newer; try: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing SimSup into $(VENV) ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the tests need into $(VENV) ..."
	@$(PIP) --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
