"""The tasks that take turns with tools: what to use next, going by what the text is, and when to conclude."""

import ast
import builtins
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage

from ...state.text import sentences
from ..tasks.critic import CONCLUDE, Conclusion, Turn
from .answering import Draft, criticise
from .clauses import content
from .critique import program_critique
from .prose import MOST_CLAIMS, claims_of, cleaned, conclude_prose
from .reading import Piece, read_out
from .wanted import wanted
from .words import words

SEARCH, RUN, SCORE = "search", "run_python", "score_toxicity"
CUT = 350
"""Characters. Evidence is shown up to a bound, so that the last sentence of a longer text may be cut off."""
LONGEST_CLAIM = 300
_SHOWN = re.compile(r"(?:\[(?P<number>\d+)\] )?(?:\[(?P<title>.*?)\]\s+)?(?P<text>.*)", re.DOTALL)
_QUOTED = re.compile(r"“(.*?)”", re.DOTALL)
_NOTHING = re.compile(r"Nothing (?:more )?was found\.")
_ENDED = re.compile(r"[.!?。！？…][\"'”’)\]]*$")
_OUTPUT = re.compile(r"\AExecution: Done\nOutput: answer = (.*)")


def qa_critique(task_input: dict[str, Any]) -> Turn:
    """Search the question, then what the draft claims, and judge the answer by what was found. A text that answers no
    question is looked up claim by claim."""
    question, text, answer = task_input["question"], task_input["text"], task_input["answer"]
    if not question.strip():
        return _of_prose(task_input)
    if query := _next_search(task_input, [question, _claim(question, text, answer)]):
        return query
    pieces = _evidence(task_input["messages"])
    return _concluded(_citing(criticise(Draft(question, text, answer), pieces), pieces))


def react(task_input: dict[str, Any]) -> Turn:
    """Search the question, once more by its keywords if that has no answer, and read the answer out."""
    question = task_input["question"]
    wants, pieces = wanted(question), _evidence(task_input["messages"])
    reading = read_out(question, wants, pieces) if wants else None
    if not reading and (query := _next_search(task_input, [question, _keywords(question)])):
        return query
    if reading is None:
        return _concluded(Conclusion(correctness="Nothing that was found answers the question."))
    return _concluded(
        Conclusion(
            correctness=f"The evidence answers the question: “{reading.sentence}”",
            accepted=True,
            text=f"{reading.sentence} So the answer is: {reading.answer}.",
            answer=reading.answer,
        )
    )


def critique(task_input: dict[str, Any]) -> Turn:
    """Run a program, score and look up prose, look up an answer: each with the tools at hand."""
    if is_program(task_input["text"]):
        return _of_program(task_input)
    return qa_critique(task_input)


def is_program(text: str) -> bool:
    """Whether a text is Python that does something: `Paris (France)` parses, too."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    statements = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Import | ast.ImportFrom | ast.FunctionDef
    return any(isinstance(node, statements) or _is_known_call(node) for node in ast.walk(tree))


def _is_known_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)


def _of_program(task_input: dict[str, Any]) -> Turn:
    question, text = task_input["question"], task_input["text"]
    told = _told(task_input["messages"], RUN)
    if not told and _may_use(task_input, RUN):
        return Turn(thought="This is a program: run it.", tool=RUN, argument=text)
    run = _shown(told[-1]) if told else None
    observation = run["text"] if run else ""
    judged = program_critique({"question": question, "program": text, "observation": observation})
    output = _OUTPUT.search(observation)
    answer = output[1].strip() if output else task_input["answer"]
    named = [int(run["number"])] if run and run["number"] else []
    return _concluded(Conclusion(**judged.model_dump(), evidence=named, text=text, answer=answer))


def _of_prose(task_input: dict[str, Any]) -> Turn:
    text, told = task_input["text"], _told(task_input["messages"], SCORE)
    scores = [message.model_copy(update={"content": _shown(message)["text"]}) for message in told]
    if not scores and text.strip() and _may_use(task_input, SCORE):
        return Turn(thought="This is prose: its tone may hurt.", tool=SCORE, argument=text)
    clean = cleaned(text, scores)
    claims = claims_of(clean)
    if query := _next_search(task_input, claims[:MOST_CLAIMS]):
        return query
    pieces = _evidence(task_input["messages"])
    named = [int(_shown(message)["number"] or 0) for message in told if clean != text]
    return _concluded(_citing(conclude_prose(text, clean, scores, claims, pieces), pieces, named))


def _may_use(task_input: dict[str, Any], tool: str) -> bool:
    return tool in task_input["tools"] and not task_input["last"]


def _next_search(task_input: dict[str, Any], planned: Sequence[str]) -> Turn | None:
    """The search that is next in the plan; None if all were made, or no more may be."""
    plan = [query for query in dict.fromkeys(planned) if query.strip()]
    made = len(_told(task_input["messages"], SEARCH))
    if made >= len(plan) or not _may_use(task_input, SEARCH):
        return None
    thought = "What does the evidence say?" if made == 0 else "And in other words?"
    return Turn(thought=thought, tool=SEARCH, argument=plan[made])


def _told(messages: Sequence[AnyMessage], tool: str) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage) and message.name == tool]


def _evidence(messages: Sequence[AnyMessage]) -> list[Piece]:
    """What the searches found, each piece once."""
    pieces: dict[Piece, None] = {}
    for message in _told(messages, SEARCH):
        shown = _shown(message)
        text = _whole_sentences(shown["text"])
        if text.strip() and not _NOTHING.match(text):
            pieces.setdefault(Piece(shown["title"] or "", text, int(shown["number"] or 0)))
    return list(pieces)


def _whole_sentences(text: str) -> str:
    """Without a last sentence that was cut off: of `1,083 feet` it may have left `1,0`."""
    text = text.strip()
    if len(text) < CUT or _ENDED.search(text):
        return text
    spans = sentences(text)
    return text[: spans[-1][0]].strip() if len(spans) > 1 else text.rpartition(" ")[0]


def _claim(question: str, text: str, answer: str) -> str:
    """What to look up of a draft: its first sentence that carries the answer, or else the answer as a statement."""
    said = [text[start:end] for start, end in sentences(text)]
    plain = [sentence for sentence in said if "answer is" not in sentence.lower()]
    carrying = next((sentence for sentence in plain if answer and answer.lower() in sentence.lower()), "")
    wants = wanted(question)
    stated = wants.with_answer(answer) if wants and wants.kind != "whether" and len(words(answer)) <= 8 else ""
    return (carrying or (stated if answer else "") or next(iter(plain), ""))[:LONGEST_CLAIM]


def _keywords(question: str) -> str:
    """The question's names and content words, without what only asks."""
    kept = [word.text for word in words(question) if content(word.text)]
    return " ".join(kept)


def _shown(message: ToolMessage) -> re.Match[str]:
    """What a tool gave, apart from its number and the title of its page."""
    found = _SHOWN.fullmatch(message.text)
    assert found is not None  # each of its parts may be missing
    return found


def _citing(conclusion: Conclusion, pieces: Sequence[Piece], named: Sequence[int] = ()) -> Conclusion:
    """The conclusion with the numbers of the pieces that it quotes."""
    quotes = _QUOTED.findall(conclusion.correctness)
    quoted = [piece.number for piece in pieces if any(quote in piece.text for quote in quotes)]
    return conclusion.model_copy(update={"evidence": list(dict.fromkeys([*named, *conclusion.evidence, *quoted]))})


def _concluded(conclusion: Conclusion) -> Turn:
    return Turn(tool=CONCLUDE, conclusion=conclusion)
