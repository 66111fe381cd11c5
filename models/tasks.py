"""The tasks: pieces of thinking with typed input and output, whoever does the thinking.

A task model is a `Runnable[dict, BaseModel]` that takes a task's input and returns its output. A chat model, a handful
of rules and a small network can all be task models of the same task; a graph cannot tell them apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ..state.answers import is_judgement, read_answer, short_answer
from .outputs import (
    CONCLUDE,
    Agreement,
    Answered,
    Chains,
    Choice,
    ClaimAnswered,
    Conclusion,
    Corruption,
    Critique,
    Draft,
    Edited,
    Entities,
    Feedback,
    Judgements,
    Program,
    Queries,
    Ranking,
    Revision,
    Samples,
    Searches,
    Statement,
    Subsentences,
    Triplets,
    Turn,
    Utility,
    VerifyingAnswer,
    VerifyingQuestion,
)

Check = Callable[[dict[str, Any], Any], str | None]


@dataclass(frozen=True)
class Task:
    """One task.

    check
        what typing cannot say about an output: given input and output it returns what is wrong, or None.
        A chat backend asks again with that complaint.
    words
        whose prompt it uses, if not its own
    streams
        whether its text is what a person waits for, and may watch as it is written
    """

    name: str
    inputs: frozenset[str]
    output: type[BaseModel]
    check: Check | None = None
    words: str = ""
    streams: bool = False

    @property
    def shown(self) -> type[BaseModel]:
        """What the examples in its prompt come to."""
        if self.output is Turn:
            return Conclusion
        return Answered if self.output is Samples else self.output


def _one_score_each(task_input: dict[str, Any], output: Ranking) -> str | None:
    expected, got = len(task_input["passages"]), len(output.scores)
    return None if expected == got else f"{got} scores for {expected} passages"


def _says_something(task_input: dict[str, Any], output: BaseModel) -> str | None:
    return None if getattr(output, "text", "").strip() else "`text` is empty"


def _is_the_text(task_input: dict[str, Any], output: Edited | Revision) -> str | None:
    before = task_input.get("before", "").strip()
    if before and before in output.text and before not in task_input["text"]:
        return "`text` begins with what stood before the text; leave that out"
    return _says_something(task_input, output)


def _is_wrong_now(task_input: dict[str, Any], output: Corruption) -> str | None:
    same = output.text.split() == task_input["text"].split()
    return "`text` is the statement as it was; carry the plan out" if same else None


def _can_be_done(task_input: dict[str, Any], output: Turn) -> str | None:
    if output.tool == CONCLUDE:
        if not output.conclusion:
            return "a conclusion is missing"
        if not output.conclusion.accepted and is_judgement(output.conclusion.answer):
            return f"`{output.conclusion.answer}` judges the answer and is none; accept it, or write the whole answer"
        return None
    if task_input["last"]:
        return None  # what a last turn asks for is not carried out, so it may be anything
    if output.tool not in task_input["tools"]:
        return f"there is no tool `{output.tool}`; use {' or '.join([*task_input['tools'], CONCLUDE])}"
    return None if output.argument.strip() else f"`{output.tool}` was given nothing"


def _one_line(task_input: dict[str, Any], output: VerifyingQuestion) -> str | None:
    return None if "\n" not in output.text.strip() else "there is more than the one question"


def _comes_to_an_answer(task_input: dict[str, Any], output: Answered) -> str | None:
    parsed = output.answer != read_answer(output.text) or short_answer(output.text)
    return None if parsed else 'it does not say "The answer is " and the answer'


def _is_a_label(task_input: dict[str, Any], output: ClaimAnswered) -> str | None:
    return None if output.answer else "the answer is none of SUPPORTS, REFUTES and NOT ENOUGH INFO"


def _is_open(task_input: dict[str, Any], output: Choice) -> str | None:
    actions = task_input["actions"]
    return None if output.action in actions else f"`{output.action}` is not open; choose {' or '.join(actions)}"


def _numbers_exist(task_input: dict[str, Any], output: Chains) -> str | None:
    count = len(task_input["passages"])
    wrong = [number for path in output.paths for number in path if not 1 <= number <= count]
    return f"there is no statement {wrong[0]}; they are numbered from 1 to {count}" if wrong else None


def _sentences_exist(task_input: dict[str, Any], output: Triplets | Subsentences) -> str | None:
    last = len(task_input["sentences"])
    unknown = {number for claim in output.claims for number in claim.sentences if not 1 <= number <= last}
    return f"there is no sentence {min(unknown)}: they are numbered from 1 to {last}" if unknown else None


def _one_judgement_each(task_input: dict[str, Any], output: Judgements) -> str | None:
    asked = list(range(1, len(task_input["claims"]) + 1))
    given = sorted(judgement.claim for judgement in output.judgements)
    return None if asked == given else f"judge each of the claims {asked} once; claims {given} were judged"


PAIR = frozenset({"text", "question", "before", "query", "evidence", "title"})
SENTENCES = frozenset({"sentences", "question", "before"})
DIALOGUE = frozenset({"question", "history"})
RESPONSE = DIALOGUE | {"text", "evidence", "passages"}
TURN = frozenset({"question", "text", "answer", "messages", "tools", "last"})

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("draft", frozenset({"question"}), Draft, streams=True),
        Task("cot", frozenset({"question"}), Answered, streams=True),
        Task("samples", frozenset({"question", "n"}), Samples, words="cot"),
        Task("chains", frozenset({"question", "n"}), Samples),
        Task("claim_chains", frozenset({"question", "n"}), Samples),
        Task("verifying_question", frozenset({"question", "sentence", "rationale"}), VerifyingQuestion, _one_line),
        Task("verifying_answer", frozenset({"question", "evidence"}), VerifyingAnswer),
        Task("final_answer", frozenset({"question", "rationale"}), Answered, _comes_to_an_answer),
        Task("claim_answer", frozenset({"question", "rationale"}), ClaimAnswered, _is_a_label),
        Task("react", TURN, Turn, _can_be_done),
        Task("qa_critique", TURN, Turn, _can_be_done),
        Task("critique", TURN, Turn, _can_be_done),
        Task("queries", frozenset({"text", "question", "before"}), Queries),
        Task("rank", frozenset({"query", "passages"}), Ranking, _one_score_each),
        Task("agreement", PAIR, Agreement),
        Task("program", frozenset({"question"}), Program),
        Task("program_critique", frozenset({"question", "program", "observation"}), Critique),
        Task("program_correction", frozenset({"question", "program", "observation", "critique"}), Program),
        Task("continuation", frozenset({"question"}), Draft, streams=True),
        Task("toxicity_critique", frozenset({"question", "text", "offending"}), Critique),
        Task("rewrite", frozenset({"question", "text", "critique", "offending"}), Draft),
        Task("policy", RESPONSE | {"score", "feedback", "actions"}, Choice, _is_open),
        Task("search_queries", DIALOGUE, Searches),
        Task("entities", frozenset({"question", "passages"}), Entities),
        Task("chain", DIALOGUE | {"evidence", "passages", "scores", "links"}, Chains, _numbers_exist),
        Task("respond", RESPONSE | {"feedback"}, Draft, streams=True),
        Task("utility", RESPONSE, Utility),
        Task("feedback", RESPONSE | {"reason"}, Feedback),
        Task("self_criticism", RESPONSE | {"reason"}, Feedback),
        Task("edit", PAIR | {"refused"}, Revision, _is_the_text),
        Task("extract", SENTENCES, Triplets, _sentences_exist),
        Task("extract_subsentences", SENTENCES, Subsentences, _sentences_exist),
        Task("check", frozenset({"claims", "question", "evidence", "title"}), Judgements, _one_judgement_each),
        Task("summarise", frozenset({"question", "passages"}), Statement, _says_something),
        Task("corrupt", frozenset({"text", "passages", "seed"}), Corruption, _is_wrong_now),
        Task("edit_all", frozenset({"text", "question", "before", "pairs", "limit", "refused"}), Edited, _is_the_text),
    )
}
"""Inputs are strings (empty if there is nothing), but for `passages`, `sentences`, `claims` and `tools`, lists of
strings, `n` and `seed`, numbers, `messages`: the turns so far and what the tools said, as LangChain messages, and
`pairs`: a list of {query, title, evidence}, all of them strings.

The numbers of sentences and claims in an output are their places in the list, from 1.

`question` is the question that the text answers, in Verify-and-Edit also a claim to judge; `query` is the question
put to the evidence; `before` is what stands before the text or its sentences: it tells what their words refer to;
`title` names the page that the evidence is from. `limit` says how much of the text an edit may change, and `refused`
what was proposed before and why it was refused. `tools` names the tools that a turn may use; without any it must
conclude. `last` is true where it is the last turn, which ought to be a conclusion.

In a dialogue, `question` is the user's message, `history` the turns before it, a line each, and `text` the response.
`evidence` is then all of it as a model is shown it and `passages` the same piece by piece; `chain` has for each piece
its rank in `scores`, and in `links` pairs of numbers: the first names what the second describes. `actions` are those
that a policy may choose from, `score` is the utility of the response, or None.
"""
