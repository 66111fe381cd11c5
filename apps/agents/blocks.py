"""The text of a message in blocks: read as one text, and put back into its blocks."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.content import Citation

from ...state import Result, replay, segments

Content = str | list[Any]


def text_of(content: Content) -> str:
    """All of the text, with each block on its own line, so that sentences of two blocks don't run together."""
    return content if isinstance(content, str) else "\n".join(map(_text_of_block, filter(_text_of_block, content)))


def _text_of_block(block: Any) -> str:
    """The text of a block; empty for other blocks, such as reasoning."""
    if isinstance(block, str):
        return block
    return str(block.get("text") or "") if block.get("type") == "text" else ""


def with_text(content: Content, result: Result) -> Content:
    """The content with the corrected text, block by block. Non-text blocks stay as they are."""
    if isinstance(content, str):
        return result["text"]
    texts = iter(_by_block([len(_text_of_block(block)) for block in content if _text_of_block(block)], result))
    corrected = [_reworded(block, next(texts)) if _text_of_block(block) else block for block in content]
    return [
        block
        for block, before in zip(corrected, content, strict=True)
        if _text_of_block(block) or not _text_of_block(before)
    ]


def _reworded(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _by_block(lengths: list[int], result: Result) -> list[str]:
    """The corrected text, cut up like the original. A replacement that spans several blocks goes into the first."""
    if replay(result["original"], result["edits"]) != result["text"]:
        return [result["text"], *("" for _ in lengths[1:])]
    block_ends = list(accumulate(lengths, lambda end, length: end + 1 + length))
    texts = [""] * len(lengths)
    position = 0
    for part in segments(result["original"], result["edits"]):
        part_end = position + len(part["before"])
        if part["edits"]:
            texts[next(block for block, end in enumerate(block_ends) if position <= end)] += part["after"]
        else:
            for block, end in enumerate(block_ends):
                texts[block] += result["original"][max(position, end - lengths[block]) : max(min(part_end, end), 0)]
        position = part_end
    return texts


def annotated(message: AIMessage, citations: Sequence[Citation]) -> AIMessage:
    """The message in LangChain's standard blocks, each text with its citations.

    Args:
        message: A message without calls of tools.
        citations: With offsets in its `text_of`.

    Returns:
        The same words; the message unchanged if its standard blocks have others.
    """
    blocks: list[Any] = list(message.content_blocks)
    if text_of(blocks) != text_of(message.content):
        return message
    start = 0
    for place, block in enumerate(blocks):
        if not (text := _text_of_block(block)):
            continue
        annotations = [_moved(each, start) for each in citations if start <= each["start_index"] < start + len(text)]
        blocks[place] = {**block, "annotations": [*block.get("annotations", ()), *annotations]}
        start += len(text) + 1
    # So that whoever reads the message, and every provider that receives it, knows what its blocks are.
    metadata = {**message.response_metadata, "output_version": "v1"}
    return message.model_copy(update={"content": blocks, "response_metadata": metadata})


def _moved(citation: Citation, by: int) -> Citation:
    return {**citation, "start_index": citation["start_index"] - by, "end_index": citation["end_index"] - by}
