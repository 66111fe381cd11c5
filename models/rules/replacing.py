"""The task `verify`: do the new words of a replacement stand in a passage in the place of the old ones?"""

from collections.abc import Sequence

from ...state.text.sections import prose
from ...state.text.segments import Span, sentences_of
from ...state.text.spans import Change, changes
from ..tasks.grounding import ReplacementInput, Source, Support, Verification
from .agreeing import Label, judge
from .editing import apply
from .excluding import are_listed, are_turned, is_bound_otherwise, may_both_be_true, measured
from .following import LEAST_FIT, Topic, Vocabulary, fit, is_about, is_rewording, names_of, turns, units

REWORDED = "The new words say nothing new."
ADDED = "No passage shows that the sentence is wrong: the change only adds something."
LEFT_OUT = "No passage shows that the sentence is wrong: the change only leaves something out."
NO_CONFLICT = "What the passages say may be true beside what the sentence says."
NOT_SHOWN = "No passage has the new words in the place of the old ones."


def verify(task_input: ReplacementInput) -> Verification:
    """Compare the words that each replacement changes with their places in the passages."""
    spoken_of = " ".join([task_input.get("around", ""), *(old for old, _ in task_input["replacements"])])
    names = names_of(spoken_of)
    pieces = [_Piece(number, source, names) for number, source in enumerate(task_input["passages"], 1)]
    verdicts: list[Support] = []
    for number, (old, new) in enumerate(task_input["replacements"], 1):
        shown, why = _shown(old, new, pieces)
        turned_round = 0 if shown else _shown(new, old, pieces)[0]
        label: Label = "entailment" if shown else "contradiction" if turned_round else "neutral"
        verdicts.append(Support(number=number, reason=why, evidence=shown or turned_round, label=label))
    return Verification(verdicts=verdicts)


class _Piece:
    """A passage, read once for all replacements."""

    def __init__(self, number: int, source: Source, names: frozenset[str]) -> None:
        self.number, self.names = number, names
        self.text, self.title = source["text"], source["title"]
        self.topic = Topic(Vocabulary(self.title), Vocabulary(self.text))
        self.title_units = frozenset(unit.text for unit in units(self.title))
        self.sentences = sentences_of(prose(self.text))

    def is_about(self, sentence: str) -> bool:
        """Whether it is about what a sentence is about. The error in it may be its only name."""
        return is_about(sentence, self.names, self.topic) or (
            judge(sentence, sentence, self.text, self.title).label == "contradiction"
        )


def _shown(old: str, new: str, pieces: Sequence[_Piece]) -> tuple[int, str]:
    """The number of the passage that shows all that a replacement changes, or 0 and the reason."""
    runs = changes(old, new)
    problems = [_problem(old[run.start : run.end], run.after) for run in runs]
    if not runs or any(problems):
        return 0, next(filter(None, problems), REWORDED)
    about = [piece for piece in pieces if piece.is_about(old)]
    places = _places(runs)
    for piece in about:
        if all(_follows(run, place, old, new, piece) for run, place in zip(runs, places, strict=True)):
            return piece.number, ""
    return 0, NOT_SHOWN


def _places(runs: Sequence[Change]) -> list[Span]:
    """Where the new words stand after the replacement."""
    places: list[Span] = []
    moved = 0
    for run in runs:
        places.append((run.start + moved, run.start + moved + len(run.after)))
        moved += len(run.after) - (run.end - run.start)
    return places


def _problem(old: str, new: str) -> str:
    """What is wrong with a change of words, whatever the passages say."""
    if turns(old, new):
        return ""
    if not units(new):
        return LEFT_OUT if units(old) else REWORDED
    if not units(old):
        return ADDED
    if is_rewording(old, new):
        return REWORDED
    if may_both_be_true(old, new):
        return NO_CONFLICT
    return ""


def _follows(run: Change, place: Span, old: str, new: str, piece: _Piece) -> bool:
    """Whether a sentence of a passage has the new words in this place, and none has the old ones there as well."""
    before, after = old[run.start : run.end], run.after
    if turns(before, after):
        return _turned(old, new, piece)
    sought = measured(new, place[0], after)
    old_fit = max(
        (fit(before, old, (run.start, run.end), each, piece.title_units) for each in piece.sentences), default=0
    )
    fits = [(fit(sought, new, place, each, piece.title_units), each) for each in piece.sentences]
    new_fit, quote = max(fits, key=lambda pair: pair[0], default=(0.0, ""))
    if new_fit <= max(old_fit, LEAST_FIT):
        quote = _corrected_alike(run, old, piece)
    return bool(quote) and not (
        is_bound_otherwise(new, place, quote)
        or are_turned(before, after, new, place, quote)
        or are_listed(before, after, quote)
    )


def _corrected_alike(run: Change, old: str, piece: _Piece) -> str:
    """The sentence of a passage for which rules make the same change; empty if there is none."""
    try:
        finding = judge(old, old, piece.text, piece.title)
        corrected = apply(old, finding)
    except ValueError:  # rules know no correction
        return ""
    return finding.evidence.sentence_text if finding.evidence and run in changes(old, corrected) else ""


def _turned(old: str, new: str, piece: _Piece) -> bool:
    """Whether a passage says all of a sentence, reversed in the same way. What its title names, it need not repeat."""
    new_words, old_words = ({unit.text for unit in units(text)} for text in (new, old))
    spoken = ({unit.text for unit in units(each)} for each in piece.sentences)
    return any(new_words - piece.title_units <= words and (old_words - new_words).isdisjoint(words) for words in spoken)
