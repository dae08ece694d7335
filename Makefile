# Needs python3, make and the package index; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: demo test lint bench bench-check browser clean

demo: $(INSTALLED)
	$(BIN)/python examples/closed_forms.py
	@echo
	$(BIN)/python examples/exact_probabilities.py
	@echo
	$(BIN)/python examples/claims.py
	@echo
	$(BIN)/python examples/all_inputs.py
	@echo
	$(BIN)/python -m exactdp reproduce

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 -q

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	$(BIN)/python -m bench

bench-check: $(INSTALLED)
	$(BIN)/python -m bench --check

# The report is tested in a real browser; without one those tests are skipped and say so.
browser:
	apt-get update && apt-get install --yes chromium

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@
