# Everything runs in .venv, made from requirements.lock by the first target that needs it.
#: PYTHON - what makes .venv: python3, or another one of 3.11 or later
PYTHON ?= python3
BIN := .venv/bin
#: BUILDER - what builds the image: docker, or a program of the same command line
BUILDER ?= docker
#: IMAGE - name of the image, such as registry.example/dynamo-hooks:0.1.0
IMAGE ?= dynamo-hooks:0.1.0
#: DEMO - manifest of make demo, such as examples/model.yaml
DEMO ?= tests/manifests/vllm--disagg.yaml
#: DEMO_ARGS - options of simulate: "--fail deploy/vllm-disagg-frontend=CrashLoopBackOff"
#: PYTEST_ARGS - options of pytest for make test and test-real: "tests/pods -k vllm"
#: LOAD_ARGS - options of make load: "--seconds 10", without --write, is over sooner and writes nothing
LOAD_ARGS ?= --write
#: CHAOS_ARGS - options of make chaos: "--count 10" is over sooner, "--seed 1 --only 13" shows one again
#: FUZZ_ARGS - options of make fuzz: "--count 2000 --processes 2" is over sooner, "--only N" sends one again

.PHONY: help demo test test-real check format golden crds chart settings revision image lock bench load chaos fuzz clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo 'Variables, as in `make demo DEMO=examples/model.yaml`:'
	@awk -F '#: ' '/^#: / { split($$2, words, " - "); printf "%-12s %s\n", words[1], words[2] }' $(MAKEFILE_LIST)

.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("dynamo-hooks needs Python 3.11 or later, PYTHON=... names another one" if sys.version_info < (3, 11) else 0)'
	@echo 'Making .venv from requirements.lock, once: about a minute.'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: .venv/installed ## what a real manifest does over time, without a cluster
	@$(BIN)/dynamo-hooks simulate -f $(DEMO) $(DEMO_ARGS)

test: .venv/installed ## all tests, in less than 5 minutes
	$(BIN)/pytest --numprocesses auto --dist loadgroup $(PYTEST_ARGS)

test-real: .venv/installed ## what runs on a real API server, made by .ci/control-plane/build and named by KUBEBUILDER_ASSETS
	$(BIN)/pytest --numprocesses auto --dist loadgroup -m real --require-real $(PYTEST_ARGS)

check: .venv/installed ## lint, format, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: .venv/installed ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: .venv/installed ## write the golden answers anew; read the diff before you commit it
	$(BIN)/pytest tests/test_golden.py --update-golden -q

crds: .venv/installed ## write crds/ from the models
	$(BIN)/dynamo-hooks crds

revision: .venv/installed ## write the revision of version and built-in settings into metacontroller/
	@revision=$$(env -i $(BIN)/dynamo-hooks config --revision) && \
	    find metacontroller -name '*.yaml' -exec sed -i.old -E "s/\?v=[0-9a-f]{10}/?v=$$revision/" {} + && \
	    find metacontroller -name '*.yaml.old' -delete
	@$(BIN)/python helm/assemble.py

chart: .venv/installed ## copy what the chart needs from crds/ and metacontroller/, and write the schema of its values
	$(BIN)/python helm/assemble.py

settings: .venv/installed ## write the reference of all settings
	$(BIN)/dynamo-hooks config --reference > docs/settings.md

bench: .venv/installed ## the hooks against an echo, as ratios, and where the time goes; writes docs/benchmark.md
	$(BIN)/python -m tests.bench --write
	$(BIN)/python -m tests.bench_models
	$(BIN)/python -m tests.bench_profile --write
	$(BIN)/python -m tests.bench_footprint --write

load: .venv/installed ## minutes under load: errors, rate, latencies, memory; writes docs/benchmark.md
	$(BIN)/python -m tests.load $(LOAD_ARGS)

chaos: .venv/installed ## 200 life cycles with everything killed or delayed at random, in some minutes
	$(BIN)/python -m tests.chaos $(CHAOS_ARGS)

fuzz: .venv/installed ## 100,000 odd requests to all hooks
	$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

image: ## build the container image, with docker or a builder of the same command line
	$(BUILDER) build --tag $(IMAGE) .

lock: ## pin all dependencies anew, for every Python from 3.11 on
	$(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install --quiet uv
	.venv-lock/bin/uv pip compile pyproject.toml --extra simulate --group dev --universal --python-version 3.11 \
	    --generate-hashes --no-emit-index-url --no-annotate --no-header --output-file requirements.lock
	.venv-lock/bin/uv pip compile pyproject.toml --constraint requirements.lock --universal --python-version 3.11 \
	    --generate-hashes --no-emit-index-url --no-annotate --no-header --output-file image/service.lock
	printf 'hatchling\npip\n' | .venv-lock/bin/uv pip compile - --constraint requirements.lock --universal --python-version 3.11 \
	    --generate-hashes --no-emit-index-url --no-annotate --no-header --output-file image/build.lock
	rm -rf .venv-lock

clean: ## forget everything made here
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
