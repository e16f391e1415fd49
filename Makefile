# Everything starts here, on a machine that has git, make and Python 3.11; CI runs the same targets.
PYTHON := $(shell for p in python3.11 python3 python; do $$p -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1

.PHONY: corpus test check docs bench wild weights fuzz attacks harbor reliability planted faults policies records doctor clean lock python
.DELETE_ON_ERROR:

corpus: .venv/.lock.sha256 ; skill2env setup && dvc repro && skill2env funnel
test: check ; skill2env setup && pytest -n auto --dist loadfile --no-loadscope-reorder
check: .venv/.lock.sha256 ; ruff check && ruff format --check && mypy && lint-imports
docs: .venv/.lock.sha256 ; $(BIN)/skill2env docs
bench: .venv/.lock.sha256 ; $(BIN)/skill2env bench && PYTHONPATH=tests $(BIN)/python -m llm.clients && PYTHONPATH=tests $(BIN)/python -m authoring.many && $(BIN)/python -m tests.wild
wild: .venv/.lock.sha256 ; $(BIN)/python -m tests.wild
fuzz: .venv/.lock.sha256 ; $(BIN)/python -m tests.fuzz
weights: .venv/.lock.sha256 ; $(BIN)/python -m tests.wild.weights
attacks: harbor ; skill2env setup && PYTHONPATH=tests python -m attacks
harbor: .venv/.lock.sha256 ; PYTHONPATH=tests python -m attacks.harbor_setup
reliability: .venv/.lock.sha256 ; skill2env setup && python -m tests.reliability
planted: .venv/.lock.sha256 ; skill2env setup && $(BIN)/python tests/planted/runner.py
policies: .venv/.lock.sha256 ; skill2env setup && python -m tests.policies
records: .venv/.lock.sha256 ; skill2env setup && PYTHONPATH=tests $(BIN)/python -m authoring.kept
faults: .venv/.lock.sha256 ; PYTHONPATH=tests python -m llm.faults
doctor: .venv/.lock.sha256 ; $(BIN)/skill2env doctor
clean: ; rm -rf .venv .venv-model .venv-reference .venv-fuzz .venv-weights .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info
lock: .venv/.lock.sha256 ; $(BIN)/uv pip compile -q --universal --python-version 3.11 --all-extras --generate-hashes --no-emit-index-url --no-annotate --no-header -o requirements.lock pyproject.toml

python: ; @test -n "$(PYTHON)" || { echo "Python 3.11 is needed as python3.11 or python3: install it (Debian 12: apt-get install python3 python3-venv), then run make again." >&2; exit 2; }

# uv, itself taken from the lock, installs the rest ten times as fast; pip does it where uv can't.
.venv/.lock.sha256: requirements.lock pyproject.toml | python
	@echo "making .venv from requirements.lock"
	@$(PYTHON) -m venv .venv
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv/uv.lock
	@$(PIP) install --no-deps --require-hashes -r .venv/uv.lock
	@$(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes requirements.lock || $(PIP) install --no-deps --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@sha256sum requirements.lock pyproject.toml > $@
