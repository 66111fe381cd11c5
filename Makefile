.PHONY: run test lint format types build bench clean

ROOMS := state prompts models tools nodes graphs apps evals

run:
	uv run errata correct "The Eiffel Tower was completed in 1899 and stands in Lyon."

test:
	uv run pytest

lint:
	uv run ruff check .
	uv run ruff format --check .

format:
	uv run ruff check --fix .
	uv run ruff format .

# A type checker cannot follow the mapping of folders to packages, so it gets a tree of links that it can.
build/types: pyproject.toml
	rm -rf build/types
	mkdir -p build/types/errata
	ln -s $(CURDIR)/src/errata/* build/types/errata/
	for room in $(ROOMS); do ln -s $(CURDIR)/$$room build/types/errata/$$room; done
	ln -s $(CURDIR)/benchmarks build/types/benchmarks

types: build/types
	uv run mypy

build:
	rm -rf dist
	uv build --quiet

bench:
	uv run python -m benchmarks

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis htmlcov .coverage
