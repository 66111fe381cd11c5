"""From what a person typed to a Context and a text, with one clear line if that fails."""

import ast
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import click
import yaml
from click.core import ParameterSource

from ..graphs import METHODS, inputs
from ..models.local.catalogue import first
from ..state import Context
from ..state.errors import ConfigurationError, absent, naming
from ..state.methods.refcheck import Reference
from ..state.parts.refusing import no_setting
from ..state.runs.chosen import chosen as chosen_for_good
from ..state.runs.chosen import with_chosen
from ..state.runs.given import refuse_unread
from ..state.text.segments import checked

LARGEST_FILE = 20_000_000
"""The most bytes of a text to correct. Nobody reads larger ones."""
CODE = re.compile(
    r"^[ \t]*(?:@\w|(?:def|class|for|while|if|with)\b.*:\s*$|(?:import|from)\s+[\w.]+\s*(?:$|import\b)|print\("
    r"|[\w.\[\]]+\s*[-+*/]?=(?!=))",
    re.MULTILINE,
)
"""How lines of programs begin, including those with an error."""

FILE_NAME = re.compile(r"\S+\.(?:txt|md|html?|pdf|csv|tsv|docx|pptx|xlsx|jsonl|ndjson)", re.IGNORECASE)
"""A text that is nothing but the name of a file."""


def make_context(options: Mapping[str, Any], backends: Sequence[str], more: Sequence[str]) -> Context:
    """Settings from options (None if not given), `TASK=BACKEND` pairs, and `FIELD=VALUE` pairs for all other fields.

    Raises ConfigurationError, naming the setting, if one is invalid.
    """
    settings = {name: value for name, value in options.items() if value is not None}
    if empty := [name for name, value in settings.items() if value == ""]:
        raise ConfigurationError(f"setting `{empty[0]}` is empty: give it a value, or leave it out")
    for name, value in _pairs(more, "--set", "FIELD=VALUE"):
        if name not in Context.model_fields:
            raise ConfigurationError(f"--set: {no_setting(name, Context.model_fields)}")
        try:
            settings[name] = yaml.safe_load(value)
        except (yaml.YAMLError, RecursionError):
            raise ConfigurationError(f"--set {name}: the value cannot be read as YAML, got {value!r:.80}") from None
    if "model" in options:  # a command that takes one
        settings = with_chosen(settings)
    if chosen := dict(_pairs(backends, "--backend", "TASK=BACKEND")):
        settings["backends"] = chosen
    return Context.model_validate(settings)


def check_read(context: Context, *methods: str) -> None:
    """Raise ConfigurationError for a setting on the command line that none of the methods reads.

    What the environment sets, or was chosen for good, is there for all commands, and is left alone.
    """
    command = click.get_current_context(silent=True)
    names = {name for name in context.model_fields_set if getattr(context, name) != chosen_for_good().get(name)}
    options = {}
    for option in command.command.params if command else ():
        name = option.name or ""
        source = command.get_parameter_source(name) if command else None
        if source is ParameterSource.ENVIRONMENT:
            names.discard(name)
        elif source is ParameterSource.COMMANDLINE:
            options[name] = option.opts[0]
    reads = frozenset[str]().union(*(METHODS[method].reads for method in methods))
    refuse_unread(", ".join(methods), sorted(names), reads, options)


def read_text(
    text: str | None, file: Path | None, standard_input: BinaryIO, expected: str = "a text to correct"
) -> str:
    """The text to work on: the argument, a file, or standard input for `-`.

    Raises:
        ConfigurationError: If there is none, more than one, or one that is not text.
    """
    if text is None and file is None:
        raise ConfigurationError(f"give {expected}, or --file FILE, or - for standard input")
    if text is not None and file is not None:
        raise ConfigurationError("give a text or --file FILE, not both")
    if file is not None:
        return read_reference(file)["text"] if is_document(file) else _decode(_read(file), str(file))
    if text == "-":
        return _decode(_bounded(standard_input, "standard input"), "standard input")
    if text and os.path.isfile(text):
        rows = "; for a row a line, add -o OUT.jsonl" if text.endswith((".jsonl", ".ndjson")) else ""
        raise ConfigurationError(f"{text} is a file: to read it, give --file {text}{rows}")
    if text and FILE_NAME.fullmatch(text):
        raise ConfigurationError(absent(text, f"give {expected}, or --file and the name of a file"))
    return _not_blank(text or "", "the text")


def check_words(graph_input: Mapping[str, Any]) -> None:
    """Raise ConfigurationError for words that were typed in another encoding than this terminal's."""
    for name in ("text", "question"):
        checked(graph_input.get(name, ""), f"the {name}")


def check_input(method: str, graph_input: Mapping[str, Any]) -> None:
    """Raise ConfigurationError for an input that the method does not take, or a text of the wrong kind."""
    for name in (name for name, value in graph_input.items() if value):
        if name not in inputs(method):
            those = ", ".join(each for each in METHODS if name in inputs(each))
            raise ConfigurationError(f"`{method}` takes no {name}: that goes with --method {those}")
    if METHODS[method].programs and graph_input.get("text"):
        check_program(graph_input["text"])


def check_writer(method: str, graph_input: Mapping[str, Any], context: Context) -> None:
    """Raise ConfigurationError where a program is to be written and nobody has named what writes it.

    The tiny model that ships with errata writes none that run.
    """
    is_named = context.model_fields_set & {"model", "backends"}
    if METHODS[method].programs and not graph_input.get("text") and not is_named:
        raise ConfigurationError(
            "writing a program needs a model, and none is given: add --model, as in openai:gpt-5-mini, or get one "
            f"for this machine with `errata models use {first('writes').name}`; --program FILE checks yours without one"
        )


def check_program(text: str) -> None:
    """Raise ConfigurationError for a text that is not a program, not even one with an error in it."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if not CODE.search(text):
            raise ConfigurationError(
                "this method corrects programs, and the text is not one: give it a program, or choose another --method"
            ) from None


def is_document(file: Path) -> bool:
    """Whether a file is one that a reader takes the text out of, and not a text itself."""
    from ..tools.reading.documents import ENDINGS

    return file.suffix.lower() in {*ENDINGS} - {".txt", ".md"}


def read_reference(file: Path) -> Reference:
    """A text to check against, from a file of any kind that the local search reads.

    Raises:
        ConfigurationError: If it cannot be read.
    """
    from ..tools.reading.documents import ENDINGS, READ_KINDS, Document, Unreadable, read
    from ..tools.reading.folder import SECONDS
    from ..tools.reading.workers import call

    ending = file.suffix.lower()
    try:
        document = Document(*call(read, _read(file), ending if ending in ENDINGS else ".txt", seconds=SECONDS))
    except Unreadable as error:
        advice = "" if ending in ENDINGS else f": {READ_KINDS}"
        raise ConfigurationError(f"{file} cannot be read ({error}){advice}") from None
    return {"text": document.text, "title": document.title, "source": str(file)}


def named_sources(paths: Sequence[str], method: str | None) -> tuple[list[Reference], str | None]:
    """What `--sources` names: texts to compare with, or a place to search.

    Args:
        paths: Files, or one folder.
        method: The requested method, if any. One that takes no references searches a file.

    Raises:
        ConfigurationError: If they cannot be read.
    """
    if any(not path for path in paths):
        raise ConfigurationError("setting `sources` is empty: give it a value, or leave it out")
    searches = method is not None and method in METHODS and "references" not in inputs(method)
    if len(paths) == 1 and (searches or not os.path.isfile(paths[0])):
        return [], paths[0]
    if searches and paths:
        raise ConfigurationError(f"`{method}` searches one folder or one file: give --sources once")
    for path in paths:
        if os.path.isdir(path):
            raise ConfigurationError(f"{path} is a folder: give --sources one folder, or one or more files")
    return [read_reference(Path(path)) for path in paths], None


def _read(file: Path) -> bytes:
    with naming(file), file.open("rb") as stream:
        return _bounded(stream, str(file))


def _bounded(stream: BinaryIO, name: str) -> bytes:
    content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ConfigurationError(f"{name} is larger than {LARGEST_FILE // 1_000_000} MB: give part of it")
    return content


def _decode(content: bytes, name: str) -> str:
    from ..tools.reading.documents import READ_KINDS, Unreadable, decode

    try:
        return _not_blank(decode(content), name)
    except Unreadable as error:
        raise ConfigurationError(f"{name} cannot be read ({error}): {READ_KINDS}") from None


def _not_blank(text: str, name: str) -> str:
    if not text.strip():
        raise ConfigurationError(f"{name} is empty: there is nothing to check")
    return text


def _pairs(values: Sequence[str], option: str, form: str) -> list[tuple[str, str]]:
    pairs = [pair.partition("=") for pair in values]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise ConfigurationError(f"{option} wants {form}, got `{name}`")
    return [(name.strip(), value) for name, _, value in pairs]
