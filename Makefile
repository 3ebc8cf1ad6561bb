# Everything runs in .venv, which is made when it is first needed and when its requirements change.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: solve test check format prove mutants bench claims clean

solve: $(READY)  ## Watch Leduc hold'em being solved
	$(BIN)/tefuda solve leduc --iterations 1000000

test: check  ## Everything CI runs

check: $(READY)  ## Format, lint, types, tests
	$(BIN)/ruff format --check src tests bench examples
	$(BIN)/ruff check src tests bench examples
	$(BIN)/mypy
	$(BIN)/python -m tests.warm
	$(BIN)/pytest -n 2 --dist worksteal

format: $(READY)  ## Rewrite the code in the house format
	$(BIN)/ruff format src tests bench examples
	$(BIN)/ruff check --fix src tests bench examples

prove: $(READY)  ## The longer proofs
	$(BIN)/pytest -m slow -n 2 --dist worksteal

mutants: $(READY)  ## Faults put into a copy of the source that tests must find; MODULES="match lp" for theirs
	$(BIN)/python -m tests.mutants $(MODULES)

bench: $(READY)  ## Side by side with other programs; rewrites the tables of README and docs
	$(BIN)/python -m bench.tabular --write
	$(BIN)/python -m bench.sampling --write
	$(BIN)/pip install --quiet --disable-pip-version-check dm-tree  # OpenSpiel's PyTorch agents need it
	$(BIN)/python -m bench.nfsp --write
	$(BIN)/python -m bench.methods --write
	$(BIN)/python -m bench.scaling --write

claims: $(READY)  ## Every published table and claim beside ours; rewrites docs/claims.md (two hours of one core)
	$(BIN)/python -m bench.claims

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tefuda needs Python 3.11 or newer; say which: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,plot,deep,openspiel,cluster]'
	@touch $(READY)

clean:  ## Forget what was installed and cached here
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
