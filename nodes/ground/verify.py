"""Verifying: with a change the evidence supports its sentence, and without it it does not."""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...models import backend, is_small, task
from ...models.tasks.grounding import VERIFY, Source, Support, Verification
from ...state import Context, Evidence, SentenceStatus
from ...state.errors import RunError
from ...state.methods.grounding import Change, GroundState, Part
from ...state.runs.apart import apart
from ...state.text.segments import Span, sentences, tokens
from ..budget import calls_left
from ..cite import closest_sentence, quoted
from ..research import GAP
from ..step import emit
from .proposals import Group, grouped
from .revise import PRECEDENCE

UNQUOTED = "The evidence does not have the words that are quoted."
SUPPORTED = "The evidence supports the sentence as it stands."
DISPUTED = "Other evidence supports the sentence as it stands."
UNDECIDED = "The evidence does not show that the sentence is wrong as it stands."
UNJUDGED = "It was not judged."
SPENT = "The budget was spent before it was verified."
AT_ONCE = 20
"""How many sentences are verified in one request at most."""
FEWEST_SHARED = 1 / 3
"""The share of a sentence's words that evidence must have for its nearest words to be shown beside those quoted."""


class _Case(NamedTuple):
    """Changes of the same sentences, in both wordings."""

    part: Part
    group: Group
    old: str
    new: str


async def verify(state: GroundState, context: Context) -> dict[str, Any]:
    """Verify the changes that were proposed, in one request for the whole text."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    parts: list[Part] = [
        {**part, "proposed": [change.copy() for change in part["proposed"]]} for part in state["parts"]
    ]
    judged, by_rules = list[_Case](), list[_Case]()
    for part in parts:
        left_to_rules = await _is_left_to_rules(part, context)
        part["again"] = part["form"] == "structured" or not left_to_rules
        (by_rules if left_to_rules else judged).extend(_cases(part, context))
    batches = [judged[first : first + AT_ONCE] for first in range(0, len(judged), AT_ONCE)]
    affordable = calls_left(state, context, VERIFY)
    for case in [case for batch in batches[affordable:] for case in batch]:
        _refuse(case.group.changes, SPENT)
    work = [_verify(batch, pieces, state, context) for batch in batches[:affordable]]
    work += [_verify(by_rules, pieces, state, _with_rules(context))] if by_rules else []
    failures = [failure for failure in await asyncio.gather(*work) if failure]
    parts = [_settled(part) for part in parts]
    emit("verify", changes=[change for part in parts for change in part["changes"]])
    return {
        "parts": parts,
        "failures": [{"step": "verify", "reason": reason, "unchecked": True} for reason in failures],
        "spent": state["spent"] or len(batches) > affordable,
    }


def _cases(part: Part, context: Context) -> list[_Case]:
    """The sentences of a passage whose changes are to be judged."""
    if part["form"] == "structured" and context.verify != "off":
        _refuse([change for change in part["proposed"] if not change["evidence"]], UNQUOTED)
    groups = grouped(part["text"], part["proposed"])
    for group in groups:  # what is left of a sentence may not fit together
        if why := next((change["refused"] for change in group.changes if change["refused"]), ""):
            _refuse(group.changes, why)
    whole = [group for group in groups if not group.changes[0]["refused"]]
    if context.verify == "off" or (context.verify == "quote" and part["form"] == "structured"):
        return []
    return [_Case(part, group, part["text"][group.start : group.end], group.after(part["text"])) for group in whole]


async def _is_left_to_rules(part: Part, context: Context) -> bool:
    """Whether rules judge: where the model is a small one, or gave no structure, and nobody else was named."""
    if "verify" in context.backends or context.nli or context.verify_model:
        return context.verify == "quote"
    small = backend(context, VERIFY).costs_calls and await is_small(context)
    return small or part["form"] == "fallback" or context.verify == "quote"


def _with_rules(context: Context) -> Context:
    return context.model_copy(update={"backends": {**context.backends, "verify": "rules"}})


def _judge(context: Context) -> Context:
    """The settings under which changes are judged."""
    update: dict[str, Any] = {"repairs": min(context.repairs, 1)}
    return context.model_copy(update=update | ({"model": context.verify_model} if context.verify_model else {}))


async def _verify(cases: Sequence[_Case], pieces: dict[str, Evidence], state: GroundState, context: Context) -> str:
    """Have some cases judged, and refuse the changes that are not borne out. Returns what failed, if anything."""
    shown = await apart(lambda: _passages(cases, pieces), [piece["text"] for piece in pieces.values()])
    replacements = [[case.old, case.new] for case in cases] + [[case.new, case.old] for case in cases]
    order = sorted(range(len(replacements)), key=lambda place: _mixed(replacements[place]))
    sources: list[Source] = [{"title": piece["title"], "text": text} for piece, text in shown]
    try:
        verification: Verification = await task(_judge(context), VERIFY).ainvoke(
            {
                "passages": sources,
                "replacements": [replacements[place] for place in order],
                "precedence": PRECEDENCE[context.conflicts],
                "question": state["question"],
                "around": _around(cases),
            }
        )
    except RunError as error:
        for case in cases:
            _refuse(case.group.changes, f"It could not be verified: {error}.")
        return str(error)
    verdicts = dict(zip(order, verification.of(len(order)), strict=True))
    for number, case in enumerate(cases):
        forward, backward = verdicts[number], verdicts[number + len(cases)]
        _decide(case, forward, backward, [piece for piece, _ in shown], context)
    return ""


def _around(cases: Sequence[_Case]) -> str:
    """The unchanged sentences before those that are verified, and the first: they tell what is spoken of."""
    told: dict[str, None] = {}
    for case in cases:
        text = case.part["text"]
        spans = sentences(text)
        changed = {number for each in cases if each.part is case.part for number in each.group.sentences}
        for number in (0, case.group.sentences.start - 1):
            if number >= 0 and number not in changed:
                told[text[slice(*spans[number])]] = None
    return " ".join(told)


def _mixed(replacement: Sequence[str]) -> str:
    """A key for an order that says nothing about which of two wordings stands in the text."""
    return hashlib.sha256("\0".join(replacement).encode()).hexdigest()


def _decide(
    case: _Case, forward: Support | None, backward: Support | None, shown: Sequence[Evidence], context: Context
) -> None:
    """Refuse the changes of a case, unless the evidence supports its sentence with them and not without them."""
    changes = case.group.changes
    label = backward.label if backward else ""
    if forward is None:
        _refuse(changes, UNJUDGED)
    elif forward.label != "entailment":
        _mark(changes, "checked" if label == "entailment" else "unresolved", context)
        _refuse(changes, _sentence(forward.reason) or UNDECIDED)
    elif backward and label == "entailment" and not _precedes(forward, backward, context):
        apart_from = forward.evidence != backward.evidence
        _mark(changes, "disputed" if apart_from else "checked", context)
        _refuse(changes, DISPUTED if apart_from else SUPPORTED)
    elif backward and label == "neutral":
        _refuse(changes, _sentence(backward.reason) or UNDECIDED)
    else:
        for change in changes:
            if not change["evidence"] and 0 < forward.evidence <= len(shown):
                piece = shown[forward.evidence - 1]
                change["evidence"] = piece["id"]
                change["quote"] = closest_sentence(set(tokens(case.new)), [piece])


def _precedes(forward: Support, backward: Support, context: Context) -> bool:
    """Whether the evidence for a change counts more than that against it, as the user decided."""
    places = forward.evidence, backward.evidence
    return bool(all(places)) and (
        (context.conflicts == "first" and places[0] < places[1])
        or (context.conflicts == "last" and places[0] > places[1])
    )


def _sentence(reason: str) -> str:
    words = " ".join(reason.split())
    return words if not words or words.endswith((".", "!", "?", "。")) else f"{words}."


def _refuse(changes: Iterable[Change], reason: str) -> None:
    for change in changes:
        change["refused"] = change["refused"] or reason


def _mark(changes: Iterable[Change], status: SentenceStatus, context: Context) -> None:
    """Note what a judge says of a sentence. What rules cannot show says nothing of it."""
    for change in changes:
        change["status"] = "nothing found" if backend(context, VERIFY).name == "rules" else status


def _passages(cases: Sequence[_Case], pieces: dict[str, Evidence]) -> list[tuple[Evidence, str]]:
    """What a judge is shown: what was quoted with its surroundings, and what else the evidence says about the same.

    A text that was written again quotes nothing: then it is all that the model saw.
    """
    spans: dict[str, list[Span]] = {}
    for case in cases:
        cited = {change["evidence"]: change["quote"] for change in case.group.changes if change["evidence"]}
        for evidence_id in case.part["shown"]:
            piece = pieces[evidence_id]
            everywhere = 0, len(piece["text"])
            if evidence_id in cited:
                place: Span | None = quoted(piece["text"], cited[evidence_id]) or everywhere
            else:
                place = _nearest(case.old, piece) if cited else everywhere
            if place:
                spans.setdefault(evidence_id, []).append(place)
    return [(piece, _excerpt(piece["text"], spans[each])) for each, piece in pieces.items() if each in spans]


def _nearest(sentence: str, piece: Evidence) -> Span | None:
    """The place of what evidence says about a sentence, if it says something."""
    mine = set(tokens(sentence))
    if len(mine & set(tokens(f"{piece['title']} {piece['text']}"))) < FEWEST_SHARED * len(mine):
        return None
    return quoted(piece["text"], closest_sentence(mine, [piece]))


def _excerpt(text: str, places: Sequence[Span]) -> str:
    """The sentences at some places of a text, each with the one before and the one after it."""
    spans = sentences(text)
    near = {
        number + step
        for number, (start, end) in enumerate(spans)
        for step in (-1, 0, 1)
        if any(start < last and first < end for first, last in places)
    }
    kept = [number for number in range(len(spans)) if number in near]
    parts, first = list[str](), 0
    for place, number in enumerate(kept):
        if place + 1 == len(kept) or kept[place + 1] > number + 1:
            parts.append(text[spans[kept[first]][0] : spans[number][1]])
            first = place + 1
    return GAP.join(parts)


def _settled(part: Part) -> Part:
    """A passage with its verified changes, which take the place of those that were refused before."""
    again = {number for group in grouped(part["text"], part["proposed"]) for number in group.sentences}
    kept = [
        change
        for change in part["changes"]
        if not change["refused"] or not any(again & set(group.sentences) for group in grouped(part["text"], [change]))
    ]
    changes = sorted([*kept, *part["proposed"]], key=lambda change: change["start"])
    return {**part, "proposed": [], "changes": changes}
