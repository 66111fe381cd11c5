"""The model card of a judge that was distilled: what it was made of, how good it is, and what it is not good for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...models.networks.training import Recipe
from ...state.text.segments import counted
from .command import figure_rows
from .pairs import Pair, counts

CARD = """# {name}

A small judge that reads evidence and a claim and says `entailment`, `neutral` or `contradiction`. It was taught by
`errata distill` to decide as a stronger model did; use it with `--set nli={name}`.

| what | |
| --- | --- |
| encoder | {encoder} |
| results that it was taught by | {results} |
| claims taught | {taught} of {pages} |
| claims held out | {unseen} of {other_pages} |
| training | {steps} steps of {batch}, learning rate {rate}, seed {seed} |
| network | int8 ONNX, for a processor |

## Claims

{claims}

`verdict` is what the strong model said, `edit` what it changed and a person may have reviewed. `neighbour` puts a claim
beside sentences of the same page that name none of its values, and `swap` puts other values into it: nobody judged
these.

## How good it is

On the pages held out, with the thresholds in `errata.json`. They were chosen so that {precision:.0%} of what
gets a label deserves it. `held out` counts each half of these claims with the thresholds of the other half: expect this
of new claims.

{figures}

## Limits

It was taught what one model decided, errors included, on one kind of text. On other texts, languages or kinds of claims
its thresholds mean nothing: measure it there with `errata eval calibrate`. A label without a threshold is never given.
"""


def card(
    name: str,
    encoder: str,
    results: Sequence[Path],
    taught: Sequence[Pair],
    unseen: Sequence[Pair],
    recipe: Recipe,
    outcome: dict[str, Any],
) -> str:
    """The card, in Markdown.

    Args:
        name: The judge's.
        encoder: What was taught.
        results: The files that it was taught by.
        taught: Claims that it was taught.
        unseen: Claims that were held out.
        recipe: How it was trained.
        outcome: What its thresholds come to.
    """
    labels = outcome["labels"]
    rows = [["", *labels], ["---", *["---:"] * len(labels)], *figure_rows(outcome)]
    return CARD.format(
        name=name,
        encoder=encoder,
        results=", ".join(path.name for path in results),
        taught=counted(len(taught), "claim"),
        pages=_pages(taught),
        unseen=counted(len(unseen), "claim"),
        other_pages=_pages(unseen),
        steps=recipe.steps,
        batch=recipe.batch,
        rate=recipe.rate,
        seed=recipe.seed,
        claims="\n".join(f"- {kind}: {count:,}" for kind, count in counts([*taught, *unseen]).items()),
        precision=outcome["precision"],
        figures="\n".join(f"| {' | '.join(row)} |" for row in rows),
    )


def _pages(pairs: Sequence[Pair]) -> str:
    return counted(len({pair["source"] for pair in pairs}), "page")
