# Everything needs Python 3.11 or newer and make; the first target that runs sets up the rest.
PYTHON ?= python3
VENV ?= .venv
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
MUTANTS := build/mutants
RUN := $(VENV)/bin/python -m
# Every program that a test starts would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play install run test soak lint check format bench pictures strings walks mutants lock

play: $(READY)  ## open the playground; PORT=9000 pins its port
	$(RUN) playground $(if $(PORT),--port $(PORT))

install: $(RUNS)  ## set up what running needs, and nothing else

run: $(RUNS)  ## run the bot on real Discord, with the settings in .env
	$(RUN) bot run

test: $(READY)  ## DATABASE=postgresql puts the bot's database there
	$(if $(DATABASE),DATABASE=$(DATABASE)) $(RUN) pytest -n auto

soak: $(READY)  ## the crash tests at many more points
	KIOSK_SOAK=1 $(RUN) pytest tests/crash -m "soak or not soak"

lint: $(READY)
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) pyright --pythonpath $(VENV)/bin/python

check: lint  ## what CI runs
	$(RUN) pytest -n auto

format: $(READY)
	$(RUN) ruff check --fix
	$(RUN) ruff format

bench: $(READY)  ## Kiosk beside the usual way of building it, as ratios
	$(RUN) benchmarks

strings: $(READY)  ## bring the language catalogs up to date with the sources
	$(RUN) tools.strings

walks: $(READY)  ## count what three presses walk through; TELL=1 lists every call
	$(RUN) tools.walks $(if $(TELL),--tell)

mutants: $(MUTANTS)/.ready  ## try faults on the tests; ONLY=bot/cache.py, SAMPLE=20 of each path
	nice -n 15 $(MUTANTS)/bin/python -m tools.mutants $(if $(SAMPLE),--sample $(SAMPLE)) $(ONLY)

pictures: $(READY)  ## draw docs/pictures anew (needs Debian's chromium)
	$(RUN) pip install --quiet --require-hashes -r requirements-pictures.txt
	$(RUN) tools.photographs

lock:  ## pin the newest dependencies that pyproject.toml allows
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet uv
	build/lock/bin/uv pip compile $(LOCK) --output-file requirements.txt
	build/lock/bin/uv pip compile $(LOCK) --extra sentry \
		--constraint requirements.txt --output-file requirements-sentry.txt
	build/lock/bin/uv pip compile $(LOCK) --group test --group check --group bench \
		--constraint requirements.txt --output-file requirements-dev.txt
	build/lock/bin/uv pip compile $(LOCK) --group pictures \
		--constraint requirements-dev.txt --output-file requirements-pictures.txt
	build/lock/bin/uv pip compile $(LOCK) --group test --group mutants \
		--constraint requirements-dev.txt --output-file requirements-mutants.txt

LOCK := --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate pyproject.toml

# What running needs, and nothing else.
$(RUNS): requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

$(READY): $(RUNS) requirements-dev.txt
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	touch $@

$(MUTANTS)/.ready: requirements-mutants.txt
	$(PYTHON) -m venv $(MUTANTS)
	$(MUTANTS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements-mutants.txt
	touch $@
