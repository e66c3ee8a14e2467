# What to type. Each target sets up what it needs: .venv from the lock files, every download checked by its hash.
#
#   make demo           set up, crawl and index the bundled site, serve it, print the address
#   make test           the tests        make test-browser   the tests in a real browser (Chromium)
#   make test-core      the tests of the compiled core under sanitizers (needs gcc)
#   make test-without-compiler  the core built by the compiler of a Python package, as where there is no other
#   make fuzz           read spoiled archives for MINUTES=1, from SEED=1 on
#   make test-benchmarks  every benchmark once, on 200 pages, with the other engines that they need
#   make lint           ruff and mypy    make types          mypy alone
#   make serve          serve the index of the job in settings.toml
#   make docs           check that the docs say what is true
#   make bench          measure speed, memory and sizes (makes a corpus of 1.3 GB first)
#   make translations   write the catalogues of texts anew, and say what is not translated
#   make assets         build the scripts of the graph anew (needs npm)
#   make lock           resolve the dependencies anew         make clean   remove .venv and caches

PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3.14 python3,$(shell command -v $(name))))
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Of what pip tells, the name of each package as it comes: minutes without a word look like a fault.
PIP_TOLD := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
CORE := $(BIN)/python indexer/core/build.py
NAMES := sed -nu 's/^Collecting \([^ ]*\).*/  \1/p'
SHELL := bash
.SHELLFLAGS := -o pipefail -c

.PHONY: core demo serve test test-core test-without-compiler test-browser test-benchmarks lint types docs fuzz bench assets translations lock clean
.DELETE_ON_ERROR:

# Compiles the core again when its sources have changed.
core: $(VENV)/.installed
	@$(CORE) >/dev/null

demo: core
	@echo "demo: crawling, indexing and serving a small site that comes along"
	$(BIN)/findingaid demo

serve: core
	$(BIN)/findingaid serve

test: $(VENV)/.installed-dev core
	$(BIN)/python -m pytest -n auto --dist worksteal

test-browser: $(VENV)/.installed-dev core
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m browser tests/browser

# The tests of the core, with a core under the sanitizers of addresses and of undefined behaviour.
test-core: $(VENV)/.installed-dev core
	$(BIN)/python -m tests.sanitized
	$(BIN)/python -m tests.sanitized --plain tests/indexer/core tests/indexer/text tests/indexer/search/test_language.py
	$(BIN)/python -m tests.sanitized --avx2 tests/indexer/core/test_tokens.py tests/indexer/test_stored_pages.py \
	    tests/indexer/text/test_pages.py tests/indexer/text/test_markup_limits.py

# As on a machine without a compiler: nothing can be found but Python, and the package that brings a compiler.
test-without-compiler: $(VENV)/.installed-dev core
	$(BIN)/python -m venv $(VENV)-zig
	$(VENV)-zig/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-zig.lock
	env -i HOME="$$HOME" PATH=$(CURDIR)/$(VENV)-zig/bin $(VENV)-zig/bin/python indexer/core/build.py --force \
	    --output $(CURDIR)/$(VENV)-zig/core.so
	FINDINGAID_CORE=$(CURDIR)/$(VENV)-zig/core.so $(BIN)/python -m pytest -n auto --dist worksteal \
	    tests/indexer/core tests/indexer/text

fuzz: $(VENV)/.installed-dev core
	$(BIN)/python -m tests.fuzz.reading --minutes $(or $(MINUTES),1) --seed $(or $(SEED),1)

# Not into .venv: the other engines bring what the product does not need.
test-benchmarks: $(VENV)-peers/.installed core
	$(VENV)-peers/bin/python -m pytest -m 'not browser and not slow' tests/benchmarks

lint: $(VENV)/.installed-dev types
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy archiver indexer webui app.py

docs: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/test_docs.py

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/index.py
	$(BIN)/python benchmarks/search.py

assets:
	webui/graph_sources/build.sh

translations: $(VENV)/.installed
	$(BIN)/python scripts/translations.py

lock: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q pyproject.toml --extra build --universal --generate-hashes --no-header --no-annotate \
	    --upgrade -o requirements.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra build --extra dev --extra lsi --universal --generate-hashes --no-header \
	    --no-annotate --upgrade -c requirements.lock -o requirements-dev.lock
	echo 'ziglang>=0.13' | $(BIN)/uv pip compile -q - --universal --generate-hashes --no-header --no-annotate \
	    -o requirements-zig.lock
	$(BIN)/uv pip compile -q benchmarks/requirements-peers.txt --universal --generate-hashes --no-header --no-annotate \
	    --upgrade -c requirements-dev.lock -o benchmarks/requirements-peers.lock

clean:
	rm -rf $(VENV) $(VENV)-peers $(VENV)-zig build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "make: no Python found; Finding Aid needs Python 3.11 or later" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "make: $(PYTHON) is too old; Finding Aid needs Python 3.11 or later (make PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	    { echo "make: $(PYTHON) has no venv module; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(VENV), once: a Python environment of its own; nothing outside this folder is changed"
	$(PYTHON) -m venv $(VENV)
	@touch $@

# --no-build-isolation: setuptools is in the lock, so that nothing unchecked is downloaded to build with.
$(VENV)/.installed: $(VENV)/.made requirements.lock pyproject.toml
	@echo "downloading $$(grep -c == requirements.lock) packages, each checked by its hash; once, a minute or two:"
	@$(PIP_TOLD) --require-hashes -r requirements.lock | $(NAMES)
	@$(CORE) --check || { echo "no C compiler here: downloading one, 100 MB"; $(PIP) --require-hashes -r requirements-zig.lock; }
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@echo "downloading what only the tests need:"
	@$(PIP_TOLD) --require-hashes -r requirements-dev.lock | $(NAMES)
	@touch $@

$(VENV)-peers/.installed: $(VENV)/.made requirements-dev.lock benchmarks/requirements-peers.lock pyproject.toml
	$(BIN)/python -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(VENV)-peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	    -r benchmarks/requirements-peers.lock
	@$(CORE) --check || $(VENV)-peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-zig.lock
	$(VENV)-peers/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
