# Everything runs in .venv, which is made when it is first needed and when its requirements change.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
DEV := .venv/ready-dev
# A plain torch may bring gigabytes for graphics cards; a build that is in .venv already is kept (CONTRIBUTING.md).
TORCH ?= torch==2.13.0
# Both distributions of this repository: tefuda and its reproductions.
PACKAGES := -e . -e ./reproductions
CODE := src tests bench examples docs/site reproductions
WITH_TORCH = $(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/pip install --quiet --disable-pip-version-check $(TORCH)

# Workers and the processes that tests start read each other's compiled modules, also where the environment says to keep none.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: solve web test tests stories torch test-deep test-generic check format prove mutants bench claims docs clean

solve: $(READY)  ## Watch Leduc hold'em being solved
	$(BIN)/tefuda solve leduc --iterations 1000000

web: $(READY)  ## The page, in a browser
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[web]'
	$(BIN)/tefuda web --open

test: check tests stories  ## All checks and tests but the networks of PyTorch

tests: $(DEV)  ## The tests that need neither a browser nor PyTorch
	$(BIN)/python -m tests.prepare
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow and not deep" --ignore-glob="*/deep" --ignore=tests/web

stories: $(DEV)  ## The page in a browser; without one they are skipped
	$(BIN)/pytest -n 2 --dist worksteal -rs tests/web

torch: $(DEV)  ## Install PyTorch
	$(WITH_TORCH)

test-deep: torch  ## The networks of PyTorch
	$(BIN)/pytest -n 0 -m "deep and not slow"

# No instructions beyond the oldest of this kind of processor, whose sums of floats have another order.
GENERIC := NUMBA_CPU_NAME=generic ATEN_CPU_CAPABILITY=default TEFUDA_CACHE=$(CURDIR)/.venv/generic NUMBA_CACHE_DIR=$(CURDIR)/.venv/generic

test-generic: $(DEV)  ## The tests of learned values once more, compiled for a generic processor
	$(GENERIC) $(BIN)/pytest -n 2 --dist worksteal -m "learner and not slow"

check: $(DEV)  ## Format, lint, types, language, spelling, the drawing of the rooms
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/python -m tests.pyright
	$(BIN)/python -m tests.language
	$(BIN)/python -m tests.layout
	$(BIN)/codespell src reproductions docs bench examples README.md CONTRIBUTING.md CHANGELOG.md

format: $(DEV)  ## Rewrite the code in the house format
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

prove: $(DEV)  ## The longer proofs
	$(BIN)/pytest -m slow -n 2 --dist worksteal

mutants: $(DEV)  ## Faults put into a copy of the source that tests must find; MODULES="match lp" for theirs, "--generate lp" for more
	$(BIN)/python -m tests.mutants $(MODULES)

bench: torch  ## Side by side with other programs; rewrites the tables of README and docs
	$(BIN)/python -m bench.tabular --write
	$(BIN)/python -m bench.starts --write
	$(BIN)/python -m bench.sampling --write
	$(BIN)/pip install --quiet --disable-pip-version-check dm-tree  # OpenSpiel's PyTorch agents need it
	$(BIN)/python -m bench.nfsp --write
	$(BIN)/python -m bench.deep --write
	$(BIN)/python -m bench.methods --write
	$(BIN)/python -m bench.scaling --write
	$(BIN)/python -m bench.threads --write

claims: $(DEV)  ## Every published table and claim beside ours; rewrites its page (two hours of one core)
	$(BIN)/python -m bench.claims
	$(BIN)/python -m docs.site.figures  # the pictures of the pages

docs: $(DEV)  ## The documentation site, into build/site
	$(BIN)/python -m docs.site

$(READY): pyproject.toml reproductions/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tefuda needs Python 3.11 or newer; say which: make PYTHON=python3.12 ..."; exit 1; }
	@echo "making .venv, then downloading and installing NumPy, SciPy, Numba, HiGHS and others into it: 0.5 GB, one to three minutes"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt $(PACKAGES)
	@touch $(READY)

$(DEV): $(READY)
	@echo "downloading and installing what tests, pictures and comparisons need (matplotlib, OpenSpiel, Dask, ...): some minutes"
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,docs,plot,openspiel,cluster,frame,abstract]'
	@touch $(DEV)

clean:  ## Forget what was installed and cached here
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache
