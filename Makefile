# make demo   set up, grade a right and a faulty kernel, write the leaderboard's pages
# make test   set up, then lint, types and all tests
# make test-gpu  set up, then the tests that need an NVIDIA GPU
# make check  the same as make test
# make clean  remove what the others made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := build/demo
SITE := site

# The stamps are set when an installation has succeeded; only a change of pyproject.toml repeats it.
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev

.PHONY: demo test test-gpu check bench clean

demo: $(INSTALLED)
	@test -d $(DEMO) || $(BIN)/kgrade new $(DEMO) >/dev/null
	@echo '== A tiled matrix multiplication =='
	@$(BIN)/kgrade --workspace $(DEMO) submit matmul problems/matmul/submissions/accepted/2_tiled.cu
	@echo
	@echo '== The same problem without a bounds check =='
	@# 1 is the answer here: "graded, and not accepted". Anything else is a failure of the demo.
	@$(BIN)/kgrade --workspace $(DEMO) submit matmul \
	    problems/matmul/submissions/runtime_error/missing_bounds_check.cu || test $$? -eq 1
	@echo
	@echo '== The leaderboard =='
	@$(BIN)/kgrade --workspace $(DEMO) leaderboard matmul
	@$(BIN)/kgrade --workspace $(DEMO) leaderboard --html $(SITE)
	@echo 'Open these pages in a browser. Your own turn: $(BIN)/kgrade init matmul'

test: check

check: $(INSTALLED_DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n auto

test-gpu: $(INSTALLED_DEV)
	$(BIN)/pytest -m gpu

bench: $(INSTALLED_DEV)
	$(BIN)/pip install --quiet --editable '.[bench]'
	$(BIN)/python benchmarks/emulator.py

$(INSTALLED): pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(INSTALLED_DEV): pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(INSTALLED)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	    echo "kgrade needs Python 3.10 or newer: make PYTHON=/path/to/python3"; exit 1; }
	@# Debian and Ubuntu package venv on its own; without it a folder is left that only looks like one.
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "Python can't make virtual environments here. Type: apt install python3-venv"; exit 1; }

clean:
	rm -rf $(VENV) $(DEMO) $(SITE) .mypy_cache .pytest_cache .ruff_cache .hypothesis
