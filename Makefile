# Everything a developer runs. Needs Python >= 3.11, make and a C++ compiler; the rest is fetched
# from the package index into a virtual environment of its own.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
CPP := $(wildcard cpp/*.cpp cpp/*.hpp)
STUB := src/tallytext/_core.pyi
QUICK ?=
ARGS ?=

ready := $(VENV)/.ready
core := $(VENV)/.core
group_test := $(VENV)/.group-test
group_check := $(VENV)/.group-check
group_figures := $(VENV)/.group-figures
group_docs := $(VENV)/.group-docs
group_wheel := $(VENV)/.group-wheel
# Spark runs on Java: what nobody can run is not installed.
group_spark := $(if $(shell command -v java),$(VENV)/.group-spark)

# $(PYTHON) if it was given, else the first Python on the path that is new enough.
find_python = for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && break; python=; done; \
	test -n "$$python" || { echo "tallytext needs Python 3.11 or newer: install it, or name it as in 'make PYTHON=python3.12'." >&2; exit 1; }

# The compiler CMake will take: $CXX, or one of the usual names.
find_compiler = for cxx in $${CXX:-c++ g++ clang++}; do command -v "$$cxx" >/dev/null 2>&1 && break; cxx=; done; \
	test -n "$$cxx" || { echo "tallytext needs a C++20 compiler and none was found: install g++ or clang++, or set CXX to yours." >&2; exit 1; }

# Strict: a link that leads nowhere or an equation that cannot be shown fails. Not quiet, which would be
# deaf to warnings, too. The variable keeps the theme from announcing its successor.
build_site = NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Children of tests import the package again and again: it is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-oldest test-runtime wheel check docs stubs bench reproduce fix sanitize attack clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(core) ## show the main jobs on support tickets, and on the docstrings of this machine
	@$(BIN)/tally demo $(ARGS)
	@echo "Now run: . $(VENV)/bin/activate"

# A process for each core: more threads of linear algebra would only wait for each other.
test: $(core) $(group_test) $(group_spark) ## run the tests (ARGS="-k vocabulary" for some of them)
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile $(ARGS)

check: $(core) $(group_check) $(group_docs) ## lint, formats, types, layers, the stub of the native module, and the site
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	@$(BIN)/python -m nanobind.stubgen -q -m tallytext._core -o $(VENV)/_core.pyi
	@diff -u $(STUB) $(VENV)/_core.pyi || { echo "$(STUB) is not that of the module: run 'make stubs'." >&2; exit 1; }
# Types and site take longest: a core for each.
	@$(BIN)/mypy & types=$$!; $(build_site); site=$$?; wait $$types && exit $$site

docs: $(core) $(group_docs) ## build the documentation site into build/site
	@$(build_site)
	@echo "Open build/site/index.html."

stubs: $(core) ## write the type stub of the native module
	@$(BIN)/python -m nanobind.stubgen -q -m tallytext._core -o $(STUB)

bench: $(core) ## measure speed and memory against scikit-learn
	@$(BIN)/python -m benchmarks $(ARGS)

reproduce: $(core) $(group_figures) ## measure the tables and figures of the papers again (ARGS="vilar --quick")
	@$(BIN)/tally reproduce $(or $(ARGS),all)

fix: $(group_check) ## format the sources and mend what the linter can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP)

clean: ## remove what was built and installed here
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks experiments docs_site -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up, each step once ------------------------------------------------------------------------

$(ready):
	@$(find_python); $(find_compiler); \
	echo "Making a virtual environment in $(VENV) ..." && "$$python" -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(core): pyproject.toml CMakeLists.txt $(CPP) $(wildcard cpp/*.py) | $(ready)
	@$(find_compiler)
	@echo "Installing what tallytext needs, and building it: the first time, this takes a few minutes ..."
	@$(PIP) install --group build
	@$(PIP) install --no-build-isolation $(BUILD_SETTINGS) --editable .
	@touch $@

$(VENV)/.group-%: pyproject.toml | $(ready)
	@echo "Installing the tools to $* ..."
	@$(PIP) install --group $*
	@touch $@

# --- packages: what is built, and the oldest dependencies ------------------------------------------

WHEEL_VENV := build/wheel-venv
OLDEST_VENV := build/oldest-venv
RUNTIME_VENV := build/runtime-venv

# "build" makes the wheel from the sdist. On Linux, auditwheel then names the oldest C library it runs with.
# The last steps see no compiler: only the new environment is on the path.
wheel: $(ready) $(group_wheel) ## build an sdist and a wheel into dist/, and try the wheel in a new environment
	@rm -rf dist $(WHEEL_VENV)
	@$(BIN)/python -m build --outdir dist .
	@if test "$$(uname)" = Linux; then \
		PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist/repaired dist/*.whl && \
		rm dist/*.whl && mv dist/repaired/*.whl dist/ && rmdir dist/repaired; fi
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/python -m venv $(WHEEL_VENV)
	@PATH="$(CURDIR)/$(WHEEL_VENV)/bin" $(WHEEL_VENV)/bin/python -m pip install -qq --only-binary :all: dist/*.whl
	@PATH="$(CURDIR)/$(WHEEL_VENV)/bin" $(WHEEL_VENV)/bin/python tests/smoke.py
	@PATH="$(CURDIR)/$(WHEEL_VENV)/bin" $(WHEEL_VENV)/bin/tally demo >/dev/null
	@du -h dist/*

# With PYTHON=python3.11, this is everything at its oldest.
test-oldest: ## run the tests with the oldest dependencies that pyproject.toml allows
	@mkdir -p build && python3 tests/oldest.py > build/oldest.txt
	@PIP_CONSTRAINT=$(CURDIR)/build/oldest.txt $(MAKE) --no-print-directory VENV=$(OLDEST_VENV) \
		BUILD_SETTINGS='-C build-dir=build/oldest' $(OLDEST_VENV)/.core $(OLDEST_VENV)/.group-test
	@OPENBLAS_NUM_THREADS=1 $(OLDEST_VENV)/bin/python -m pytest --numprocesses auto --dist loadfile tests $(ARGS)

# With run-time dependencies only: tests of extras are skipped.
test-runtime: ## run the tests with run-time dependencies only
	@$(MAKE) --no-print-directory VENV=$(RUNTIME_VENV) BUILD_SETTINGS='-C build-dir=build/runtime' $(RUNTIME_VENV)/.core
	@$(RUNTIME_VENV)/bin/python -m pip install -qq pytest pytest-xdist hypothesis
	@OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(RUNTIME_VENV)/bin/python -m pytest -p runtime_only --numprocesses auto --dist loadfile tests $(ARGS)

# --- the native code under AddressSanitizer and UndefinedBehaviorSanitizer (GCC) -------------------

SANITIZE_VENV := build/sanitize-venv
SANITIZE_SETTINGS := -C build-dir=build/sanitize -C install.strip=false \
	-C cmake.define.TALLYTEXT_SANITIZE=ON -C cmake.define.CMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS
SANITIZE_CXX ?= g++
# Python itself is not instrumented, so the runtimes must be there before it starts; and it never
# frees everything, so leaks are not looked for.
runtimes = $$($(SANITIZE_CXX) -print-file-name=libasan.so) \
	$$($(SANITIZE_CXX) -print-file-name=libubsan.so) $$($(SANITIZE_CXX) -print-file-name=libstdc++.so)
sanitized = env LD_PRELOAD="$(runtimes)" \
	PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SANITIZE_VENV)/bin/python

.PHONY: sanitize-build
sanitize-build:
	@CXX=$(SANITIZE_CXX) $(MAKE) --no-print-directory VENV=$(SANITIZE_VENV) \
		BUILD_SETTINGS='$(SANITIZE_SETTINGS)' $(SANITIZE_VENV)/.core $(SANITIZE_VENV)/.group-test

sanitize: sanitize-build ## run the tests with the native code under the sanitizers
	@$(sanitized) -m pytest -p no:cacheprovider $(ARGS)

# In full, what is native runs under the sanitizers; QUICK=1 needs no second build.
attack: $(core) $(group_test) $(if $(QUICK),,sanitize-build) ## attack all of it for half an hour (QUICK=1: two minutes), and print what was found
	@$(BIN)/python tests/attack $(if $(QUICK),--quick,--sanitized $(SANITIZE_VENV)/bin/python --runtimes "$(runtimes)") $(ARGS)
