"""The critic: it searches for what a text claims, compares, and corrects what the evidence contradicts."""

import ast
import builtins
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from langchain_core.messages import ToolMessage

from ...state.errors import ModelError
from ...state.text.amounts import same_amount
from ...state.text.answers import is_null, normalise, read_answer
from ...state.text.segments import sentences_of
from ..tasks.critic import CONCLUDE, Conclusion, Turn, TurnInput
from .agreeing import Finding, judge
from .asking import queries
from .critique import OUTPUT, program_critique, without
from .editing import MOST_CHANGES, apply
from .language.clauses import content
from .language.facts import Fact, find
from .language.slots import compare
from .language.styles import in_style_of
from .language.words import words
from .observed import SEARCH, Piece, evidence_in, parsed_result, percent, results_of
from .reading import Reading, read_out, same

RUN, SCORE = "run_python", "score_toxicity"
MOST_SEARCHES = 3
"""How many claims of a text are looked up."""
MOST_CLAIMS = 6
"""How many of a text's own questions each piece of evidence is asked."""
TOXIC = 10
"""The percentage from which on a text is toxic (arXiv 2305.11738, section 4.3)."""
LONGEST_QUERY = 300
_ENDING = re.compile(r"\banswer(?: is)?\s{0,3}:?\s", re.IGNORECASE)


def react(task_input: TurnInput) -> Turn:
    """Search for the question, once more by its keywords if that gives no answer, and read the answer."""
    question = task_input["question"]
    reading = read_out(question, evidence_in(task_input["messages"]))
    keywords = " ".join(word.text for word in words(question) if content(word.text))
    if not reading and (search := _next_search(task_input, [question, keywords])):
        return search
    if reading is None:
        return _concluded(Conclusion(correctness="Nothing found answers the question."))
    return _concluded(_answered(reading, "The evidence answers the question", accepted=True))


def critique(task_input: TurnInput) -> Turn:
    """Run a program; score and look up a text."""
    return _of_program(task_input) if is_program(task_input["text"]) else qa_critique(task_input)


def qa_critique(task_input: TurnInput) -> Turn:
    """Search for the question, then for what the draft says.

    A text that answers no question is looked up claim by claim.
    """
    question, text, answer = task_input["question"], task_input["text"], task_input["answer"]
    if not question.strip():
        return _of_prose(task_input)
    if search := _next_search(task_input, [question, _line_of(text, answer)]):
        return search
    return _concluded(_of_answer(question, text, answer, evidence_in(task_input["messages"])))


critique_reasoning, qa_reasoning = critique, qa_critique


def _of_answer(question: str, text: str, answer: str, pieces: Sequence[Piece]) -> Conclusion:
    """Accept an answer that the evidence gives too, replace one that it excludes, and correct the rest of the text."""
    reading = read_out(question, pieces)
    borne_out = reading is not None and _agrees(question, answer, reading)
    if reading and not borne_out and _differs(question, answer, reading):
        return _answered(reading, "The evidence gives another answer", numbers=_holding(reading.sentence, pieces))
    questions = [question, *claims_of(text)[:MOST_CLAIMS]]
    mended, new, wrong = corrected(text, answer, question, questions, pieces, keep=answer if borne_out else "")
    remarks = [f"The evidence supports the answer: “{reading.sentence}”"] if reading and borne_out else []
    remarks += [f"The evidence says otherwise: “{wrong}”"] if wrong else []
    return Conclusion(
        correctness=" ".join(remarks) or "Nothing found decides it.",
        evidence=_holding(wrong or (reading.sentence if reading and borne_out else ""), pieces),
        accepted=borne_out and mended == text,
        text=mended,
        answer=new,
    )


def _answered(reading: Reading, remark: str, *, accepted: bool = False, numbers: Iterable[int] = ()) -> Conclusion:
    return Conclusion(
        correctness=f"{remark}: “{reading.sentence}”",
        evidence=list(numbers),
        accepted=accepted,
        text=f"{reading.sentence} So the answer is: {reading.answer}.",
        answer=reading.answer,
    )


def _agrees(question: str, answer: str, reading: Reading) -> bool:
    """Whether an answer gives what was read, in its own words or among others."""
    given_answer, answer_read = f" {normalise(answer)} ", f" {normalise(reading.answer)} "
    if given_answer.strip() and (given_answer in answer_read or answer_read in given_answer):
        return True
    return any(same(value, reading.fact) or _same_number(value, reading.fact) for value in _values(question, answer))


def _same_number(fact: Fact, other: Fact) -> bool:
    """Whether two amounts are one number, where one of them leaves its unit out."""
    if not fact.amount or not other.amount or (fact.amount.unit and other.amount.unit):
        return False
    return same_amount(fact.amount, other.amount)


def _differs(question: str, answer: str, reading: Reading) -> bool:
    """Whether an answer cannot mean what was read: it is another value, or has no word of the sentence."""
    if is_null(answer):
        return True
    mine = [each for each in _values(question, answer) if each.kind == reading.fact.kind]
    comparable = [each for each in mine if each.kind != "name" or (each.meant and reading.fact.meant)]
    if comparable or reading.fact.kind in ("date", "amount"):
        return all(compare(each, reading.fact) == compare(reading.fact, each) == "conflict" for each in comparable)
    return not (content(answer) - content(question)) & content(reading.sentence)


def _values(question: str, answer: str) -> list[Fact]:
    """What an answer says that the question does not."""
    return [fact for fact in find(answer, 0, len(answer)) if not fact.stems <= content(question)]


def _of_prose(task_input: TurnInput) -> Turn:
    """Remove the offensive words, correct what the text claims, and accept it if all of it is supported."""
    text, scored = task_input["text"], results_of(task_input["messages"], SCORE)
    if not scored and text.strip() and _may_use(task_input, SCORE):
        return Turn(thought="This is prose: its tone may hurt.", tool=SCORE, argument=text)
    clean = _cleaned(text, scored)
    claims = claims_of(text if "…" in clean else clean)  # what is left out may be what to look up
    if search := _next_search(task_input, claims[:MOST_SEARCHES]):
        return search
    pieces = evidence_in(task_input["messages"])
    mended, _, wrong = corrected(clean, "", "", claims[:MOST_CLAIMS], pieces)
    bearing = {claim: [piece.number for piece in pieces if _bears_out(piece, claim, mended)] for claim in claims}
    undecided = next((claim for claim in claims if not bearing[claim]), "")
    remarks = [
        f"The evidence says otherwise: “{wrong}”" if wrong else "",
        f"Nothing found decides: {undecided}" if undecided else "",
        "The evidence supports what was looked up." if claims and not undecided and not wrong else "",
        f"The scorer says: {parsed_result(scored[-1].text)['text']}." if scored else "",
    ]
    scores = [int(parsed_result(message.text)["number"] or 0) for message in scored if clean != text]
    numbers = [
        *scores,
        *(number for found in bearing.values() for number in found),
        *_holding(wrong, pieces),
    ]
    decided = bool(claims) or percent(scored) is not None
    return _concluded(
        Conclusion(
            correctness=" ".join(filter(None, remarks)),
            evidence=list(dict.fromkeys(numbers)),
            accepted=mended == text and (percent(scored) or 0) < TOXIC and not undecided and decided,
            text=mended,
        )
    )


def claims_of(text: str) -> list[str]:
    """The claims of a text, as the questions that it answers."""
    return queries({"text": text}).queries


def _bears_out(piece: Piece, claim: str, text: str) -> bool:
    return judge(text, claim, piece.text, piece.title).label == "entailment"


def corrected(
    text: str, answer: str, question: str, questions: Iterable[str], pieces: Sequence[Piece], keep: str = ""
) -> tuple[str, str, str]:
    """Correct what the evidence contradicts, in a text and in its short answer.

    Args:
        text: The text to correct.
        answer: The short answer in the text.
        question: The question that the text answers; empty for prose.
        questions: The questions to ask each piece of evidence.
        pieces: The evidence.
        keep: A right answer, which no correction may touch.

    Returns:
        The text, the answer, and the first sentence that contradicts them; empty if none does.
    """
    wrong, queries_ = "", list(dict.fromkeys(questions))
    for piece, query in ((piece, query) for piece in pieces for query in queries_):
        for _ in range(MOST_CHANGES):
            finding = judge(text, query, piece.text, piece.title, question)
            if finding.label != "contradiction" or finding.evidence is None or (question and finding.fact is None):
                break  # turned round, an answer is none any more
            try:
                changed = apply(text, finding)
            except ValueError:  # no rule turns the statement round
                break
            if keep and normalise(changed).count(normalise(keep)) < normalise(text).count(normalise(keep)):
                break
            text, answer = _carried(text, changed, answer, finding)
            wrong = wrong or finding.evidence.sentence_text
    return text, answer, wrong


def _carried(before: str, text: str, answer: str, finding: Finding) -> tuple[str, str]:
    """A corrected text and its answer; where the text names the answer at its end, that follows what was corrected."""
    if read_answer(before) == answer != read_answer(text):
        return text, read_answer(text)
    fact, other = finding.fact, finding.other
    if not fact or not other or fact.text not in answer:
        return text, answer
    fact_alone = replace(fact, start=0, end=len(fact.text))
    new = answer.replace(fact.text, in_style_of(fact.text, fact_alone, other)[2])
    endings = list(_ENDING.finditer(text))
    end = endings[-1].end() if endings else len(text)
    return text[:end] + text[end:].replace(answer, new, 1), new


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


def _of_program(task_input: TurnInput) -> Turn:
    question, text = task_input["question"], task_input["text"]
    runs = results_of(task_input["messages"], RUN)
    if not runs and _may_use(task_input, RUN):
        return Turn(thought="This is a program: run it.", tool=RUN, argument=text)
    run = parsed_result(runs[-1].text) if runs else None
    observation = run["text"] if run else ""
    judged = program_critique({"question": question, "program": text, "observation": observation})
    output = OUTPUT.search(observation)
    answer = output[1].strip() if output else task_input["answer"]
    numbers = [int(run["number"])] if run and run["number"] else []
    return _concluded(Conclusion(**judged.model_dump(), evidence=numbers, text=text, answer=answer))


def _cleaned(text: str, scored: Sequence[ToolMessage]) -> str:
    """The text without the words that offend, where a scorer has found it toxic and can name them."""
    artifact = scored[-1].artifact if scored else None
    offending = artifact.get("offending") if isinstance(artifact, dict) else None
    if not offending or (percent(scored) or 0) < TOXIC:
        return text
    try:
        return without(text, offending)
    except ModelError:  # nothing else is left of it
        return text


def _may_use(task_input: TurnInput, tool: str) -> bool:
    return tool in task_input["tools"] and not task_input["last"]


def _next_search(task_input: TurnInput, planned: Sequence[str]) -> Turn | None:
    """The search that is next in the plan; None if all were made, or no more may be."""
    plan = [query for query in dict.fromkeys(planned) if query.strip()]
    count = len(results_of(task_input["messages"], SEARCH))
    if count >= len(plan) or not _may_use(task_input, SEARCH):
        return None
    thought = "What does the evidence say?" if count == 0 else "And in other words?"
    return Turn(thought=thought, tool=SEARCH, argument=plan[count])


def _line_of(text: str, answer: str) -> str:
    """What to look up of a draft: its first sentence that carries the answer, or else its first one."""
    sentences = [sentence for sentence in sentences_of(text) if "answer is" not in sentence.lower()]
    carrying = (sentence for sentence in sentences if answer and answer.lower() in sentence.lower())
    return (next(carrying, "") or next(iter(sentences), ""))[:LONGEST_QUERY]


def _holding(sentence: str, pieces: Sequence[Piece]) -> list[int]:
    """The numbers of the pieces that a sentence stands in."""
    return [piece.number for piece in pieces if sentence and sentence in piece.text]


def _concluded(conclusion: Conclusion) -> Turn:
    return Turn(tool=CONCLUDE, conclusion=conclusion)
