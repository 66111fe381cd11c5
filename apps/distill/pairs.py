"""Claims with their evidence and label, out of the results of batches."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...models.judges.calibrating import Labelled
from ...models.judges.notes import Meaning
from ...models.rules import corrupt
from ...models.rules.language.facts import find as facts_of
from ...models.rules.ranking import rank
from ...nodes.review import BY_PERSON
from ...state import Edit, Evidence, replay
from ...state.text.segments import passages, sentences, sentences_of
from ...state.text.spans import find

WEAK = frozenset({"", "rules", "nli"})
"""Backends from which there is nothing to learn."""
EVIDENCE_CHARS = 1_200
"""Of longer evidence the part is taken that the claim is about: it has to fit an encoder of 512 tokens."""
MOST_NEIGHBOURS = 3
"""Sentences of the same page that stand together as evidence which says nothing of a claim."""
SWAPPED = frozenset({"date", "number", "entity", "relation", "negation"})
"""Corruptions that make a claim wrong, and not only ugly."""


class Pair(Labelled):
    """A claim of a training set."""

    source: str
    """The page that the evidence is from: no page is both taught and held out."""
    origin: str
    """What made it: `verdict`, `edit`, `neighbour` or `swap`."""


def pairs_of(results: Iterable[Mapping[str, Any]], seed: int = 0) -> list[Pair]:
    """The training set that results give.

    Two that say different things of the same claim and evidence are both left out.

    Args:
        results: As methods return them.
        seed: Of the swaps, and of which neighbour is taken.
    """
    by_key: dict[tuple[str, str], Pair] = {}
    contested: set[tuple[str, str]] = set()
    for result in results:
        for pair in _of_result(result, seed):
            key = (pair["claim"], pair["evidence"])
            if key in by_key and by_key[key]["label"] != pair["label"]:
                contested.add(key)
            by_key.setdefault(key, pair)
    return [pair for key, pair in by_key.items() if key not in contested]


def _of_result(result: Mapping[str, Any], seed: int) -> Iterator[Pair]:
    pieces: dict[str, Evidence] = {piece["id"]: piece for piece in result.get("evidence") or []}
    if not pieces or all(verdict["backend"] in WEAK for verdict in result.get("verdicts") or []):
        return
    decided = [*_of_claims(result, pieces)] if "claims" in result else [*_of_sentences(result, pieces)]
    yield from decided
    for pair in decided:
        draw = random.Random(f"{seed}:{pair['claim']}:{pair['evidence']}")
        if pair["label"] != "neutral" and (near := _neighbour(pair, pieces.values(), draw)):
            yield near
        if pair["label"] == "entailment" and (wrong := _swapped(pair, pieces.values(), draw)):
            yield wrong


def _of_claims(result: Mapping[str, Any], pieces: Mapping[str, Evidence]) -> Iterator[Pair]:
    """What a checker said of claims (RefChecker). What it found nothing for goes with what comes nearest to it."""
    for claim in result["claims"]:
        if claim["backend"] in WEAK or claim["label"] == "error":
            continue
        piece = pieces.get(claim["evidence"]) or (
            _nearest(claim["content"], pieces) if claim["label"] == "neutral" else None
        )
        if piece:
            yield _pair(claim["content"], piece, claim["label"], "verdict", claim["quote"])


def _of_sentences(result: Mapping[str, Any], pieces: Mapping[str, Evidence]) -> Iterator[Pair]:
    """What was found of sentences: those that were changed, left wrong, borne out, or compared in vain.

    A sentence is borne out only where the words are quoted that show it: agreement in what was asked is not enough.
    """
    edits: list[Edit] = result.get("edits") or []
    refused = {edit["evidence"] for edit in edits if edit["reason"].startswith(BY_PERSON)}
    contradicted = {
        verdict["evidence"]
        for verdict in result["verdicts"]
        if verdict["label"] == "contradiction" and verdict["backend"] not in WEAK
    }
    for before, after, edit in _edited(result["original"], edits):
        if (piece := pieces.get(edit["evidence"])) and edit["evidence"] in contradicted:
            yield _pair(before, piece, "contradiction", "edit")
            if after and _names_nothing_else(after, piece):
                yield _pair(after, piece, "entailment", "edit")
    for contradiction in result.get("unresolved") or []:
        # A person who rejected the change may have known better than the model.
        if contradiction["evidence"] in contradicted - refused and (piece := pieces.get(contradiction["evidence"])):
            yield _pair(contradiction["sentence"], piece, "contradiction", "verdict")
    for part in result.get("attribution") or []:
        if part["status"] == "checked" and part.get("quote") and (piece := pieces.get(part["evidence"][0])):
            yield _pair(part["sentence"], piece, "entailment", "verdict", part["quote"])
        elif part["status"] == "nothing found" and (piece := _nearest(part["sentence"], pieces)):
            yield _pair(part["sentence"], piece, "neutral", "verdict")


def _edited(original: str, edits: Sequence[Edit]) -> Iterator[tuple[str, str, Edit]]:
    """Each change that was made: its sentence before, and after if nothing else was changed in that.

    What a person wrote is taken as it is; what a person refused is not made.
    """
    applied = [edit for edit in edits if edit["applied"]]
    befores = []
    for number, edit in enumerate(applied):
        text = replay(original, applied[:number])
        after = replay(original, applied[: number + 1])
        befores.append((_around(text, edit["start"]), _around(after, edit["start"])))
    final = replay(original, applied)
    for (before, after), edit in zip(befores, applied, strict=True):
        twice = sum(earlier == after or later == before for earlier, later in befores) > 1
        if before:
            yield before, after if after in final and not twice else "", edit


def _around(text: str, place: int) -> str:
    return next((text[start:end] for start, end in sentences(text) if start <= place < end), "")


def _names_nothing_else(claim: str, piece: Evidence) -> bool:
    """Whether evidence has all values and names of a claim: what put one of them right need not bear out the others."""
    return all(find(f"{piece['title']}\n{piece['text']}", fact.text) for fact in facts_of(claim, 0, len(claim)))


def _page(piece: Evidence) -> str:
    """What a piece of evidence is from; a reference is cut into parts that say so."""
    return piece["source"].partition(", part ")[0] or piece["id"]


def _pair(claim: str, piece: Evidence, label: Meaning, origin: str, quote: str = "") -> Pair:
    return {
        "claim": " ".join(claim.split()),
        "evidence": _part(piece["text"], quote or claim),
        "title": piece["title"],
        "label": label,
        "source": _page(piece),
        "origin": origin,
    }


def _part(text: str, words: str) -> str:
    """The part of a long text that some words are of, or are most like."""
    parts = [part.strip() for part in passages(text, EVIDENCE_CHARS) if part.strip()]
    if len(parts) < 2:
        return text.strip()
    if quoting := next((part for part in parts if find(part, words)), ""):
        return quoting
    scores = rank({"query": words, "passages": parts}).scores
    return parts[max(range(len(parts)), key=scores.__getitem__)]


def _nearest(claim: str, pieces: Mapping[str, Evidence]) -> Evidence | None:
    """The piece of evidence that is most like a claim."""
    candidates = list(pieces.values())
    scores = rank({"query": claim, "passages": [piece["text"] for piece in candidates]}).scores
    best = max(range(len(candidates)), key=scores.__getitem__)
    return candidates[best] if scores[best] > 0 else None


def _neighbour(pair: Pair, pieces: Iterable[Evidence], draw: random.Random) -> Pair | None:
    """The claim with other words of the same page, which say nothing of it: they lack a fact that it names."""
    page = [piece["text"] for piece in pieces if _page(piece) == pair["source"]]
    all_sentences = dict.fromkeys(sentence for text in page for sentence in sentences_of(text))
    likest = rank({"query": pair["claim"], "passages": [*all_sentences]}).scores if all_sentences else []
    ordered = [sentence for _, sentence in sorted(zip(likest, all_sentences, strict=True), reverse=True)]
    # The one that decided it is the likest of all, as a rule; of the rest the near ones teach most.
    silent = [sentence for sentence in ordered[1:9] if _lacks(sentence, pair["claim"])][:MOST_NEIGHBOURS]
    if not silent:
        return None
    draw.shuffle(silent)
    return {**pair, "evidence": " ".join(silent), "label": "neutral", "origin": "neighbour"}


def _lacks(text: str, claim: str) -> bool:
    """Whether a text has none of the values that a claim names: then it can neither bear it out nor contradict it."""
    values = [fact for fact in facts_of(claim, 0, len(claim)) if fact.kind in ("date", "amount")]
    kinds = {fact.kind for fact in facts_of(text, 0, len(text))}
    return bool(values) and all(fact.kind not in kinds and fact.text not in text for fact in values)


def _swapped(pair: Pair, pieces: Iterable[Evidence], draw: random.Random) -> Pair | None:
    """The claim made wrong: with a value that its evidence does not have, a name from another page."""
    other_texts = [piece["text"] for piece in pieces if _page(piece) != pair["source"]]
    try:
        corruption = corrupt({"text": pair["claim"], "passages": other_texts, "seed": draw.randrange(2**31)})
    except ValueError:
        return None
    if any(swap.kind not in SWAPPED or swap.after in pair["evidence"] for swap in corruption.plan):
        return None
    return {**pair, "claim": corruption.text, "label": "contradiction", "origin": "swap"}


def counts(pairs: Iterable[Pair]) -> dict[str, int]:
    """How many pairs there are of each label and origin."""
    return dict(sorted(Counter(f"{pair['label']}, by {pair['origin']}" for pair in pairs).items()))
