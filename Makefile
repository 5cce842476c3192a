# Needs Python 3.11 or newer with its venv module, make, and a package registry; no root, no server, no environment variable.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-done
# Test processes side by side. The suite starts real servers and real workers: two fit a machine of two cores.
JOBS := 2
# How long things break in `make chaos`, in seconds, and what they are drawn from.
DURATION_S := 45
SEED := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format bench chaos soak pins clean

help: ## Say what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

setup: $(STAMP) ## Make .venv with the pinned packages and this project in it (only when something changed)

demo: setup ## Play a small campaign from end to end: server, workers, orders, reports, replay
	$(BIN)/tocsin demo

test: setup ## Run every test
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

lint: setup ## Check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: setup ## Mend what can be mended by itself
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: setup ## Measure this machine: a short version of every measurement, ten minutes at most on two cores, one table
	$(BIN)/tocsin bench all --short

chaos: setup ## Play campaigns while processes are killed and connections cut, for DURATION_S seconds; then check every promise
	@$(BIN)/python -m tests.chaos chaos --duration-s $(DURATION_S) --seed $(SEED)

soak: setup ## Play 2,000 ticks of one campaign: memory, keys and the time of a tick must stay flat
	@$(BIN)/python -m tests.chaos soak

pins: ## Choose newer releases and write requirements/ again
	@sh requirements/pin.sh "$$(sh requirements/find_python.sh)"

clean: ## Remove .venv and every cache
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A failed install leaves no stamp, so the next run starts again. pip stays the one that Python brought: hashes make the set
# of packages the same whichever it is. The project itself is installed in place: an edit needs no second install.
$(STAMP): requirements/dev.txt pyproject.toml
	@python=$$(sh requirements/find_python.sh) && \
	if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then echo "$$python -m venv $(VENV)"; "$$python" -m venv --clear $(VENV); fi
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@
