# Every target makes its own environment from the hashed lock: nothing to install first but Python 3.11+, git and make.
STACK ?= onprem-h100-roce
LAB_STACK = $(if $(filter file,$(origin STACK)),lab,$(STACK))
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
# Nothing is compiled at installation: 15,000 modules, of which a plan imports a thousand. Those are kept at first use.
unexport PYTHONDONTWRITEBYTECODE

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/ready: requirements.lock
	@PYTHON="$(PYTHON)" .ci/environment

plan: .venv/ready  ## Plan a stack offline: make plan STACK=eks-p5
	@$(BIN)/bedplate plan $(STACK)

# A file's tests run in one process: what they share (a server, a wheel, the cases of mutants) is made once.
# CI draws ten times as many examples, and turns every rule and check round; here those that differ from origin/main are
# (BEDPLATE_MUTANTS=all, or `make mutants`: all).
test: .venv/ready  ## Run the tests that need no cluster
	@$(BIN)/python -m pytest -n auto --dist loadfile --hypothesis-profile=$(if $(CI),full,desk) tests/unit tests/graph

TURNED := tests/unit/checks/test_checks.py tests/unit/training/test_edges.py tests/unit/policies/test_mutants.py
mutants: .venv/ready  ## Turn every rule and check round, and run random mutants of the rooms: make mutants, or make mutants ROOM=live SEED=3
	$(if $(ROOM),,@BEDPLATE_MUTANTS=all $(BIN)/python -m pytest -q -n auto --dist worksteal $(TURNED))
	@$(BIN)/python -m tests.tools.mutants $(ROOM) $(if $(SEED),--seed $(SEED))

test-cluster: .venv/ready  ## Run the tests on the lab's API server; on LABS=2 labs at once
	@$(BIN)/python -m pytest -m cluster tests/cluster $(if $(LABS),-n $(LABS) --dist loadfile --no-loadscope-reorder)

test-engine: .venv/ready  ## Run the drills with a real Pulumi on the lab
	@$(BIN)/python -m pytest -m engine tests/engine -n 2 --dist worksteal

VLLM := $(shell sed -n 's|^"vllm/vllm-openai" = "v\(.*\)"$$|\1|p' $(lastword $(sort $(wildcard bedplate/charts/20*.toml))))
.tools/vllm-$(VLLM)/ready:
	@echo "Installing vLLM $(VLLM) into .tools (once, about 9 GB)"
	@$(PYTHON) -m venv .tools/vllm-$(VLLM) && .tools/vllm-$(VLLM)/bin/python -m pip install --quiet vllm==$(VLLM) && touch $@

test-vllm: .venv/ready .tools/vllm-$(VLLM)/ready  ## Ask vLLM's own parser and validation about every server: no GPU needed
	@$(BIN)/python -m pytest -m vllm tests/vllm

lab: .venv/ready  ## Start the simulated cluster: make lab, or make lab STACK=eks-p5 CONTROLLERS=real
	@$(BIN)/python -m bedplate.lab up $(LAB_STACK) $(if $(CONTROLLERS),--controllers $(CONTROLLERS))

controllers: .venv/ready
	@$(BIN)/python -m bedplate.lab build

lab-down: .venv/ready  ## Take the simulated cluster away
	@$(BIN)/python -m bedplate.lab down

up: .venv/ready  ## Deploy the whole stack to the lab: installs what it needs
	@$(BIN)/python -m bedplate.lab deploy $(LAB_STACK)

down: .venv/ready  ## Destroy it and take the lab away
	@$(BIN)/python -m bedplate.lab destroy

preview rollout: .venv/ready
	$(if $(filter file,$(origin STACK)),$(error say which cluster: make $@ STACK=...))
	@.ci/pulumi $(if $(filter preview,$@),preview,up) $(STACK)
preview:  ## What would change on a stack's cluster, judged by the policies: make preview STACK=eks-p5
rollout:  ## Deploy a stack to its cluster, judged by the policies: make rollout STACK=eks-p5

lint: .venv/ready  ## Check style and formatting
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

docs: .venv/ready  ## Build the pages as a site into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

wheel: .venv/ready  ## Build the wheel into dist/
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

types: .venv/ready  ## Check types, strictly
	@$(BIN)/pyright

bench: .venv/ready  ## Measure a plan, a fleet, its policies, how large a datacenter the lab holds, and what its queues cost
	@$(BIN)/python -m bench.plan && $(BIN)/python -m bench.fleet && $(BIN)/python -m bench.policies && $(BIN)/python -m bench.lab && $(BIN)/python -m bench.queues

bench-engine: .venv/ready  ## Measure a whole `up` on simulated nodes against a script
	@$(BIN)/python -m bench.engine

check: lint types test test-cluster  ## What CI runs

format: .venv/ready  ## Format the code
	@$(BIN)/ruff check --fix-only --quiet . ; $(BIN)/ruff format .

schema: .venv/ready  ## Write the generated pages and the profile's JSON Schema anew
	@$(BIN)/python -m tests.tools.pages

upstream: .venv/ready  ## Fetch the public CRDs and default values that tests check against, by their digests
	@$(BIN)/python -m tests.tools.fetch_upstream

lock: .venv/ready  ## Make requirements.lock anew from pyproject.toml
	@$(PYTHON) -m pip install --quiet uv && $(PYTHON) -m uv pip compile --universal --python-version 3.11 --generate-hashes \
		--no-header --no-emit-index-url --no-annotate --all-extras --group dev pyproject.toml --quiet --output-file requirements.lock

.PHONY: help controllers plan test mutants test-cluster test-engine test-vllm lab lab-down up down preview rollout bench bench-engine docs wheel lint types check format schema upstream lock
