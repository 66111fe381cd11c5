"""Settings of the tools: where evidence comes from, what runs programs, what scores texts."""

from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .base import Called, Scorer, Settings


class SearchSettings(Settings, group="Search"):
    """Where evidence comes from."""

    search: str | SkipJsonSchema[Called] | SkipJsonSchema[list[str | Called]] = Field(
        default="local",
        description="Where evidence comes from: `local`, `drqa`, `dataset`, `tavily`, `google`, `brave`, "
        "`duckduckgo`, `wikipedia`, `searxng`, `arxiv`, `pubmed`; several, fused by reciprocal rank, as "
        "`local+wikipedia`; in Python also a LangChain retriever, a tool or a function, or a list of searches.",
    )
    sources: str | None = Field(
        default=None,
        description="Folder of documents, or one document, for `local` and `drqa` search; without it, the small "
        "bundled corpus.",
        json_schema_extra={"operator": True},
    )
    contact: str | None = Field(
        default=None,
        description="E-mail or web address where Wikipedia can reach you; also read from ERRATA_CONTACT.",
        json_schema_extra={"operator": True},
    )
    searxng_url: str | None = Field(
        default=None,
        description="Address of a SearXNG instance that answers in JSON; also read from ERRATA_SEARXNG_URL.",
        json_schema_extra={"operator": True},
    )
    allow_private_addresses: bool = Field(
        default=False,
        description="Allow page fetches from private, loopback and link-local addresses (an intranet).",
        json_schema_extra={"operator": True},
    )
    cross_encoder: str | None = Field(
        default=None,
        description="Folder or id of a sentence-transformers cross-encoder for the `cross_encoder` backend of `rank`.",
        json_schema_extra={"operator": True},
    )


class PageSettings(Settings, group="Evidence"):
    """How many pages are read."""

    pages: int = Field(
        default=5, ge=1, le=20, description="How many pages are read per question (RARR section 3.1: 5)."
    )


class WindowSettings(Settings, group="Evidence"):
    """How much of each page is read."""

    windows_per_page: int = Field(
        default=1,
        ge=1,
        le=5,
        description="How many of the best windows of a long page are kept and read together (RARR: 1). "
        "Rules, which read for nothing, keep at least two.",
    )
    whole_page_chars: int = Field(
        default=2_000,
        ge=0,
        le=40_000,
        description="A page of at most this many characters is shown whole; of a longer page, its best windows "
        "of four sentences (RARR: 0, always windows). Rules and small networks are always shown "
        "windows.",
    )
    max_evidence: int = Field(
        default=1, ge=1, le=10, description="How many pieces of evidence each question gets (RARR's published code: 1)."
    )


class PythonSettings(Settings, group="Programs"):
    """What runs programs."""

    python: Literal["auto", "monty", "cpython"] = Field(
        default="auto",
        description="What runs programs: `monty`, a small interpreter; `cpython` in a sandbox; `auto` uses the "
        "first and, with `allow_cpython`, the second for what the first lacks.",
    )
    allow_cpython: bool = Field(
        default=False,
        description="Allow `auto` and `cpython` to start a sandboxed CPython (Linux with bubblewrap).",
        json_schema_extra={"operator": True},
    )
    program_seconds: float = Field(default=2.0, gt=0, le=60, description="The most seconds that a program may run.")
    program_memory_mb: int = Field(
        default=256, ge=32, le=4096, description="The most megabytes that a program may use."
    )


class ToxicitySettings(Settings, group="Toxicity"):
    """What scores toxicity."""

    toxicity: str | SkipJsonSchema[Scorer] = Field(
        default="profanity",
        description="What scores toxicity: `profanity` (embedded), `perspective`, `moderation`, `detoxify`, or "
        "your own scorer.",
    )


class CacheSettings(Settings, group="Limits"):
    """Whether tool results are stored."""

    cache: bool = Field(default=True, description="Store search results on disk for a day and answer from there.")
