# make demo   set up, grade a right and a faulty kernel, write the leaderboard's pages
# make test   set up, then lint, types and all tests
# make test-gpu  set up, then the tests that need an NVIDIA GPU
# make check  the same as make test
# make clean  remove what the others made
#
# CUDA=12 or CUDA=13 takes that CUDA's packages; without it scripts/cuda-extra chooses by the driver and the GPUs.
# A changed choice replaces them. To keep both: make test CUDA=12 VENV=build/cuda12

PYTHON ?= python3
CUDA :=
VENV := .venv
BIN := $(VENV)/bin
DEMO := build/demo
SITE := site

# The stamps are set when an installation has succeeded; a change of pyproject.toml or of the chosen CUDA repeats it.
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev
CHOICE := $(VENV)/cuda-extra
PIP := $(BIN)/pip --disable-pip-version-check
# For the tests of other people's problem sets: the build without CUDA, whose libraries would be in CuPy's way.
TORCH := --index-url https://download.pytorch.org/whl/cpu "torch==2.13.0"
# For the tests that include CuTe's headers: them alone, which is 6 MB.
CUTLASS := --no-deps "nvidia-cutlass==4.2.*"

.PHONY: demo test test-gpu check bench clean choose

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
	@# First those that may share a GPU, many at once, then the others one by one; the second also where the first failed.
	@status=0; \
	$(BIN)/pytest -m 'gpu and not alone' -n auto --maxprocesses 10 --dist worksteal || status=1; \
	$(BIN)/pytest -m 'gpu and alone' -p no:xdist || status=1; \
	exit $$status

bench: $(INSTALLED_DEV)
	$(PIP) install --quiet --editable ".[bench,$$(cat $(CHOICE))]"
	$(BIN)/python benchmarks/emulator.py

$(INSTALLED): pyproject.toml $(CHOICE) | $(BIN)/python
	$(PIP) install --quiet --editable ".[$$(cat $(CHOICE))]"
	@touch $@

$(INSTALLED_DEV): pyproject.toml $(CHOICE) | $(BIN)/python
	$(PIP) install --quiet --editable ".[dev,$$(cat $(CHOICE))]"
	@$(PIP) install --quiet $(TORCH) || \
	    echo 'PyTorch is not to be had here: the tests that need it are skipped. To try again: $(PIP) install $(TORCH)'
	@$(PIP) install --quiet $(CUTLASS) || \
	    echo 'CuTe is not to be had here: the tests that need it are skipped. To try again: $(PIP) install $(CUTLASS)'
	@touch $@ $(INSTALLED)

# Looked at each time, and written only when it is another one than before. The packages of the other CUDA go first:
# both CuPys own the same folder.
$(CHOICE): choose | $(BIN)/python
	@wanted=$$($(BIN)/python scripts/cuda-extra $(CUDA)) || exit 1; \
	if [ "$$wanted" != "$$(cat $@ 2>/dev/null)" ]; then \
	    rm -f $(INSTALLED) $(INSTALLED_DEV); \
	    $(PIP) freeze | sed -nE 's/^((cupy-cuda|cuda-toolkit|nvidia-c|nvidia-nv)[^=]*)==.*/\1/p' \
	        | xargs --no-run-if-empty $(PIP) uninstall --quiet --yes; \
	    echo "$$wanted" >$@; \
	fi

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	    echo "kgrade needs Python 3.10 or newer: make PYTHON=/path/to/python3"; exit 1; }
	@# Debian and Ubuntu package venv on its own; without it a folder is left that only looks like one.
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "Python can't make virtual environments here. Type: apt install python3-venv"; exit 1; }

clean:
	rm -rf $(VENV) $(DEMO) $(SITE) .mypy_cache .pytest_cache .ruff_cache .hypothesis
