# The daily verbs. `make` alone lists them.
PYTHON ?= python3

.PHONY: help setup format lint types test slow bench snapshots ci lines audit rebuild

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

setup:  ## install for development, in the environment that is active
	$(PYTHON) -m pip install -e '.[test,dev]'

format:  ## rewrite: import order and layout
	ruff check --fix .
	ruff format .

lint:  ## what CI asks of the text
	ruff check .
	ruff format --check .

types:  ## mypy, strict
	mypy

test:  ## what the README's second command runs
	pytest

slow:  ## the tests that `test` leaves out, but those of speed
	pytest -m slow --ignore tests/benchmarks

bench:  ## speed, as ratios within one run; on an idle machine
	pytest -m slow -n 0 tests/benchmarks

snapshots:  ## record prompts and golden values anew; look at the difference before you commit it
	VEHBENCH_UPDATE_SNAPSHOTS=1 pytest -n 0 tests/prompts tests/golden tests/isomorphic

ci:  ## everything that must hold before a change lands (about 25 minutes on two cores)
	bash .ci/run

lines:  ## lines of Python by folder
	@$(PYTHON) tests/support/count_lines.py

audit:  ## check every statement about the bank that ships
	vehbench audit v2

rebuild:  ## build the bank into ./bank and check it (about four minutes on two cores)
	vehbench build --out bank
	vehbench audit bank
