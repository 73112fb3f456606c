# make demo   set up, grade a right and a faulty kernel, write the leaderboard's pages
# make format  set the sources in order: ruff check --fix, ruff format
# make quick  lint, types, import contracts and the quickest tests, in a minute: after each change
# make test   set up, then lint, types and all tests; make check is the same
# make test-gpu  set up, then the tests that need an NVIDIA GPU
# make durations  all tests, and how long each file took, by which make quick chooses
# make coverage  lines and branches that tests ran, in child processes too; TESTS="tests/check tests/plan" runs a part
# make mutation  faulty copies of check/ and measure/ that no test notices; MUTANTS="grader.check.*" tries a part
# make editor  the editor of problems' pages, from editor/ into grader/contest/static; needs npm
# make vscode  the extension for VS Code, from editors/vscode into dist/kgrade.vsix; needs npm
# make docs   the documentation as a site, in build/docs
# make release  wheel and sdist in dist/, tried in a new environment; TAG=1 tags the commit as well
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
# Of a checkout: processes in a sandbox see it, and can't write it.
BYTE_CODE := $(BIN)/python -m compileall -q grader
# For the tests of other people's problem sets: the build without CUDA, whose libraries would be in CuPy's way.
TORCH := --index-url https://download.pytorch.org/whl/cpu "torch==2.13.0"
# For the tests that include CuTe's headers: them alone, which is 6 MB.
CUTLASS := --no-deps "nvidia-cutlass==4.2.*"

# For the tests of kernels in Python.
LANGUAGES := ".[triton,cutile,cute]"
# numba-cuda has an extra for each CUDA.
NUMBA = "numba-cuda[$$(sed 's/^cuda\(..\).*/cu\1/' $(CHOICE))]==0.30.*"

# Of each run of the tests these seconds, the quickest files first: tests/quick.py.
QUICK_SECONDS := 40
TESTS := tests
MUTANTS := grader.check.* grader.measure.*
TAG :=

.PHONY: demo format quick test test-gpu check durations coverage mutation docs editor vscode release bench clean choose

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

define LOOK
$(BIN)/ruff check
$(BIN)/ruff format --check
$(BIN)/mypy
cd tests && $(abspath $(BIN))/mypy --config-file mypy.ini --cache-dir ../.mypy_cache/tests .
$(BIN)/lint-imports --no-logo --cache-dir build/import-linter
endef

format: $(INSTALLED_DEV)
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

quick: $(INSTALLED_DEV)
	$(LOOK)
	$(BIN)/pytest -n auto --quick $(QUICK_SECONDS)

test: check

check: $(INSTALLED_DEV)
	$(LOOK)
	$(BIN)/pytest -n auto

durations: $(INSTALLED_DEV)
	$(BIN)/pytest -n auto --record-durations

# Every process counts its own lines, without a sandbox: tests/covered/sitecustomize.py. Some tests fail by that.
coverage: $(INSTALLED_DEV)
	@rm -rf build/coverage && mkdir -p build/coverage
	-PYTHONPATH=tests/covered KGRADE_COVERAGE=$(CURDIR) $(BIN)/pytest -n auto --no-header $(TESTS)
	$(BIN)/coverage combine --quiet --data-file=build/coverage/all build/coverage
	$(BIN)/coverage report --data-file=build/coverage/all

mutation: $(INSTALLED_DEV)
	$(PIP) install --quiet --editable ".[mutation,$$(cat $(CHOICE))]"
	@# The same examples in each run, and nothing of the copies in the tests' own cache.
	CI=1 KGRADE_CACHE=$(CURDIR)/build/mutation-cache nice -n 19 $(BIN)/mutmut run $(MUTANTS)
	@$(BIN)/mutmut results

test-gpu: $(INSTALLED_DEV)
	@# First those that may share a GPU, many at once, then the others one by one; the second also where the first failed.
	@status=0; \
	$(BIN)/pytest -m 'gpu and not alone' -n auto --maxprocesses 10 --dist worksteal || status=1; \
	$(BIN)/pytest -m 'gpu and alone' -p no:xdist || status=1; \
	exit $$status

# -W: a warning, such as a link that leads nowhere, is a failure.
editor:
	cd editor && npm install --no-audit --no-fund && npm run build

vscode:
	@mkdir -p dist
	@cp LICENSE editors/vscode/LICENSE.txt
	cd editors/vscode && npm install --no-audit --no-fund && npm exec --yes --package=@vscode/vsce@3 -- \
	    vsce package --no-dependencies --allow-missing-repository --out ../../dist/kgrade.vsix

docs: $(INSTALLED_DEV)
	$(PIP) install --quiet --editable ".[docs,$$(cat $(CHOICE))]"
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs
	@echo 'Open build/docs/index.html'

release: $(INSTALLED_DEV)
	$(BIN)/python scripts/release $(if $(TAG),--tag)

bench: $(INSTALLED_DEV)
	$(PIP) install --quiet --editable ".[bench,$$(cat $(CHOICE))]"
	$(BIN)/python benchmarks/emulator.py

$(INSTALLED): pyproject.toml $(CHOICE) | $(BIN)/python
	$(PIP) install --quiet --editable ".[$$(cat $(CHOICE))]"
	@$(BYTE_CODE)
	@touch $@

$(INSTALLED_DEV): pyproject.toml $(CHOICE) | $(BIN)/python
	$(PIP) install --quiet --editable ".[dev,$$(cat $(CHOICE))]"
	@$(PIP) install --quiet $(TORCH) || \
	    echo 'PyTorch is not to be had here: the tests that need it are skipped. To try again: $(PIP) install $(TORCH)'
	@$(PIP) install --quiet $(CUTLASS) || \
	    echo 'CuTe is not to be had here: the tests that need it are skipped. To try again: $(PIP) install $(CUTLASS)'
	@$(PIP) install --quiet --editable $(LANGUAGES) $(NUMBA) || \
	    echo 'Triton and the like are not to be had here: the tests that need them are skipped. To try again: make clean test'
	@$(BYTE_CODE)
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
	rm -rf $(VENV) $(DEMO) $(SITE) build/docs build/doctrees build/coverage mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis
