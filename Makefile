# Everything a person runs. `make demo` and `make test` need Python 3.11+ and, for the browser tests, Debian's packages.
PORT ?= 8000
WORKERS ?= auto
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check soak install dev format bench clean

$(VENV)/.installed: pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

install: $(VENV)/.installed

dev: $(VENV)/.dev

# Build the demo study in var/demo, print one sign-in link a role, and serve it.
demo: $(VENV)/.installed
	$(BIN)/saydo demo --dir var/demo --port $(PORT)

# The whole suite, the browser tests included.
test: $(VENV)/.dev
	sh .ci/browser
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# Format, lint, types, layers, dependencies, and the tests without the browser.
check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not browser"

# The long runs: kill, fuzz, tamper and random tables at full counts.
soak: $(VENV)/.dev
	SAYDO_SOAK=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev
	for file in benchmarks/*.py; do $(BIN)/python $$file || exit 1; done

clean:
	rm -rf $(VENV) var dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
