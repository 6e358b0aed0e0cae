# Everything needs Python 3.11 or newer and make. The first target that runs makes a virtual
# environment, and each installs there what it needs.
PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python -m
# Every program that a test starts would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play install run test soak lint check format bench pictures strings walks mutants wheel lock

play: $(VENV)/.play  ## open the playground; PORT=9000 pins its port, PSEUDO=1 lengthens all words
	$(RUN) playground $(if $(PORT),--port $(PORT)) $(if $(PSEUDO),--pseudo)

install: $(VENV)/.run  ## set up what running needs, and nothing else

run: $(VENV)/.run  ## run the bot on real Discord, with the settings in .env
	$(RUN) bot run

test: $(VENV)/.test  ## DATABASE=postgresql puts the bot's database there
	$(if $(DATABASE),DATABASE=$(DATABASE)) $(RUN) pytest -n auto

soak: $(VENV)/.test  ## the crash tests at many more points, long walks, and all else that takes minutes
	KIOSK_SOAK=1 $(RUN) pytest tests/crash -m "soak or not soak"
	$(RUN) pytest --ignore=tests/crash -m soak

lint: $(VENV)/.check
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) pyright --pythonpath $(VENV)/bin/python

check: lint test  ## what CI runs

format: $(VENV)/.check
	$(RUN) ruff check --fix
	$(RUN) ruff format

bench: $(VENV)/.check  ## Kiosk beside the usual way of building it, as ratios
	$(RUN) benchmarks

strings: $(VENV)/.run  ## bring the language catalogs up to date; NEW=fr begins one, LEAST=95 wants so much
	$(RUN) tools.strings $(if $(NEW),--new $(NEW)) $(if $(LEAST),--least $(LEAST))

walks: $(VENV)/.test  ## count what three presses run through, and statements; TELL=1 lists every call
	$(RUN) tools.walks $(if $(TELL),--tell)

mutants: $(VENV)/.mutants  ## try faults on the tests; ONLY="bot.cache*" tries those
	nice -n 15 $(VENV)/bin/mutmut run $(ONLY)

pictures: $(VENV)/.pictures  ## draw all cards into build/pictures (needs chromium; PSEUDO=1, SPEAK=de)
	$(RUN) tools.photographs $(if $(PSEUDO),--pseudo) $(if $(SPEAK),--language $(SPEAK))

# A former one leaves files in build/lib, which the next would have, too.
wheel: $(VENV)/.wheel  ## build dist/kiosk-….whl, which brings the command `kiosk`
	rm -rf build/lib
	$(RUN) pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# All fit into one environment: each file is pinned after those that it adds to.
lock:  ## pin the newest dependencies that pyproject.toml allows
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet uv
	$(PIN) --group pip > requirements/pip.txt
	$(PIN) pyproject.toml > requirements/run.txt
	$(call PIN_ADDED,play,run)
	$(call PIN_ADDED,test,play run)
	$(call PIN_ADDED,check,test play run)
	$(call PIN_ADDED,wheel,run) -c requirements/check.txt
	$(call PIN_ADDED,pictures,play run) -c requirements/check.txt
	$(call PIN_ADDED,mutants,test play run) -c requirements/check.txt

PIN := build/lock/bin/uv pip compile --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate
# $(call PIN_ADDED,GROUP,FILES): what a group adds to the first of these files, which add to those
# after them.
PIN_ADDED = echo "-r $(firstword $2).txt" > requirements/$1.txt && \
	$(PIN) pyproject.toml --group $1 -c requirements/$(firstword $2).txt >> requirements/$1.txt \
	$$(sed -n 's/==.*//; s/^[a-z]/--no-emit-package &/p' $(2:%=requirements/%.txt))

# Where the system's Python is gone, or is another version by now, nothing in the environment is found.
HAS_PIP := $(VENV)/bin/python -c 'import pip' 2> /dev/null
.PHONY: anew
$(VENV)/.%: requirements/%.txt $(wildcard requirements/*.txt) $(shell $(HAS_PIP) || echo anew)
	$(INSTALL)

$(VENV)/.run: COST := (half a minute, 165 MB)
$(VENV)/.play: COST := (half a minute, 225 MB)
$(VENV)/.wheel: COST := (half a minute, 170 MB)
$(VENV)/.test: COST := (about a minute, 425 MB)
$(VENV)/.check: COST := (about a minute, 745 MB)

define INSTALL
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@echo "Installing $< into $(VENV) $(COST)"
	@$(HAS_PIP) || $(PYTHON) -m venv $$(test ! -e $(VENV)/pyvenv.cfg || echo --clear) $(VENV)
	@$(PIP) requirements/pip.txt
	$(PIP) $<
	touch $@
endef

PIP := $(RUN) pip install --quiet --disable-pip-version-check --require-hashes --requirement
