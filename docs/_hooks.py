"""What the pages take from the program while they are built, so that it is never out of date.

<!-- graph: rarr -->          the drawing of a method's graph
<!-- settings -->             all settings, group by group; with a method's name, those that it reads
<!-- file: SECURITY.md -->    a page that stands beside this folder
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mmdr
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from errata.graphs import METHODS, load
from errata.state import Context, parts

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"^<!-- (graph|settings|file)(?:: (\S+))? -->$", re.MULTILINE)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add a drawing of every graph that a page shows."""
    shown = {
        name
        for page in files.documentation_pages()
        for kind, name in MARK.findall(page.content_string)
        if kind == "graph"
    }
    for name in sorted(shown):
        drawing = mmdr.render(load(name).get_graph().draw_mermaid()).svg()
        files.append(File.generated(config, f"graphs/{name}.svg", content=drawing))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Put in the place of each mark what it stands for."""
    to_root = "../" * page.file.src_uri.count("/")
    return MARK.sub(lambda mark: MAKERS[mark[1]](mark[2] or "", to_root), markdown)


def graph(name: str, to_root: str) -> str:
    """The drawing of a graph, in words too, for those who cannot see it."""
    edges = load(name).get_graph().edges
    steps = ", ".join(f"{edge.source} to {edge.target}" for edge in edges).replace("__", "")
    return f'![The graph of {name}: {steps}]({to_root}graphs/{name}.svg){{ width="{WIDTH}" style="background: white" }}'


def settings(name: str, _: str) -> str:
    """Tables of all settings, or of those of a method beside what every method reads."""
    every = {**parts.ModelSettings.model_fields, **parts.LimitSettings.model_fields}
    read = METHODS[name].reads - every.keys() if name else Context.model_fields
    groups: dict[str, list[str]] = {}
    for setting, field in Context.model_fields.items():
        if setting in read:
            default = field.get_default(call_default_factory=True)
            row = f"| `{setting}` | {'' if default is None else f'`{default}`'} | {field.description} |"
            groups.setdefault(parts.GROUPS[setting], []).append(row)
    head = ["", "| setting | default | |", "| --- | --- | --- |"]
    return "\n".join(line for title, rows in groups.items() for line in ("", f"### {title}", *head, *rows))


def file(name: str, _: str) -> str:
    """A page of the repository, with its links as they are from here."""
    text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
    return re.sub(r"\]\((SECURITY|CONTRIBUTING|CHANGELOG)\.md", lambda link: f"]({link[1].lower()}.md", text)


WIDTH = 380
MAKERS: dict[str, Callable[[str, str], str]] = {"graph": graph, "settings": settings, "file": file}
