"""CRITIC with all tools: answers, programs and prose in one loop (after arXiv 2305.11738, section 3).

draft      y is the given text, or a chain of thought (`draft` chooses another way)
critique   plausible? right? look something up, run a program, score a text, or conclude    accepts y -> return y
tools      run what the critic asks for, then continue the critique: at most 7 turns (`critique_calls`)
correct    replace y with the text that the critique concludes with (a person sees it first, with `review`)
keep       leave y as it is: the critique has no other text, or nothing found speaks for it (`caution`; ours)
           at most 4 rounds (`rounds`); y is unchanged twice in a row (`patience`) -> return y

It is the loop of `critic_qa`, which defines the gates, with all three tools.
"""

from collections.abc import Sequence

from ..models.tasks.critic import CRITIQUE, CRITIQUE_REASONING
from ..nodes.tooling import Givable
from ..state import parts
from .critic_qa import Loop, loop
from .method import DRAFTING, Method

ROUNDS = 4


def build(*, tools: Sequence[Givable] = ()) -> Loop:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice.

    Args:
        tools: Your own tools for the critic: LangChain tools or functions with a docstring.

    Raises:
        ConfigurationError: If something cannot be a tool, or a name is already taken.
    """
    return loop(METHOD, CRITIQUE, CRITIQUE_REASONING, ("search", "run_python", "score_toxicity"), ROUNDS, tools)


METHOD = Method(
    name="critic",
    about="CRITIC with all tools: search, Python and a toxicity scorer in one loop",
    paper="2305.11738",
    kind="corrects",
    draft="cot",
    tasks={"critique": ("critique", "critique_reasoning"), "tools": ("rank",)},
    unasked=lambda context: ("critique_reasoning",) if context.use_tools else ("critique", "rank"),
    tools=("search", "python", "toxicity"),
    gold="optional",
    settings=(
        *DRAFTING,
        parts.RoundSettings,
        parts.CriticSettings,
        parts.CautionSettings,
        parts.EditSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
