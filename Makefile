# Needs python3, make and the package index; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
INSTALLED := .venv/.installed

.PHONY: demo reproduce test test-old soak both lint budget pyodide docs bench bench-check mutants browser clean

# The main job, after installing only what it needs: about a minute.
demo: .venv/.light
	$(BIN)/python examples/demo.py --keep

# The tables of the paper, with every row decided again: some minutes.
reproduce: .venv/.light
	$(BIN)/python -m exactdp reproduce

DOCUMENTS := tests/project/test_documents.py

# Compiled files are kept, or every process that a test begins compiles exactdp again.
# Tests of the new tree, and what users see of it, less what it cannot answer yet (tests/not_yet.toml);
# documents and docstrings in a process of their own; then a little of the frozen old tree.
test: export PYTHONDONTWRITEBYTECODE =
test: $(INSTALLED)
	EXACTDP_CORE=new $(BIN)/python -m pytest -n 2 --dist worksteal -q --ignore=$(DOCUMENTS)
	EXACTDP_CORE=new $(BIN)/python -m pytest -q $(DOCUMENTS)
	EXACTDP_CORE=old $(BIN)/python -m pytest -n 2 -q tests/cli/test_golden.py tests/project/test_distribution.py "$(DOCUMENTS)::test_documents_run[README.md]"

# Everything that the old tree is tested with, about five minutes on two cores; on loopback with a
# cluster, too: EXACTDP_CLUSTER=1 make test-old
test-old: export PYTHONDONTWRITEBYTECODE =
test-old: $(INSTALLED)
	EXACTDP_CORE=old $(BIN)/python -m pytest -n 2 --dist worksteal -q tests tests_old

# Random claims beside an oracle that shares nothing with exactdp, about an hour on two cores; of the
# tree that EXACTDP_CORE names.
# Another run: make soak CLAIMS=1000 SEED=2 JOBS=1
CLAIMS ?= 100000
SEED ?= 1
JOBS ?= 2
SECONDS ?= 3600
soak: $(INSTALLED)
	PYTHONPATH=tests $(BIN)/python -m soak --claims $(CLAIMS) --seed $(SEED) --jobs $(JOBS) --seconds $(SECONDS)

# Random questions asked of both trees, and of the oracle. For example `make both CLAIMS=1000 SEED=2`.
both: $(INSTALLED)
	$(BIN)/python -m bench.both --claims $(CLAIMS) --seed $(SEED) --seconds $(SECONDS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python -m bench.budget

# How large the new tree is, beside limits, which hold, and estimates, which inform.
budget: $(INSTALLED)
	$(BIN)/python -m bench.budget

# The new tree in Pyodide, Python for browsers; part of `make test`, skipped without Node and npm.
pyodide: $(INSTALLED)
	$(BIN)/python -m pytest -q -rs tests_next/pyodide

# The site is docs/_build/html/index.html; what its pages show is run before it is built.
docs: $(INSTALLED)
	$(BIN)/python -m pytest -q tests/docs/test_errors.py tests/project/test_documents.py::test_documents_run
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html docs docs/_build/html
	@echo 'Built docs/_build/html/index.html'

bench: $(INSTALLED)
	$(BIN)/python -m bench

bench-check: $(INSTALLED)
	$(BIN)/python -m bench --check

# Some 400 changes of the old tree's source, each of which a test should notice; survivors are explained in
# tests_old/mutants/survivors.toml. For example `make mutants COUNT=50 SEED=2 PATHS="claims reals"`.
COUNT ?= 400
SEED ?= 1
PATHS ?=
mutants: $(INSTALLED)
	PYTHONPATH=tests:tests_old nice $(BIN)/python -m mutants --count $(COUNT) --seed $(SEED) $(OPTIONS) $(PATHS)

# The report is tested in a real browser; without one those tests are skipped and say so.
browser:
	apt-get update && apt-get install --yes chromium

clean:
	rm -rf .venv docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis .mutants .pyodide

# Of the targets above, `demo` and `reproduce` need the program and its pictures, all others the tools too.
.venv/.light: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[report]'
	touch $@

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch .venv/.light $@
