"""What is read from the head of a GGUF file, and what is said of a file that is none."""

import struct
from pathlib import Path

import pytest

from errata.models.local.gguf import read
from errata.state.errors import ConfigurationError

from ...ggufs import USUAL, gguf


def test_size_context_and_memory_are_read(tmp_path: Path) -> None:
    found = read(gguf(tmp_path / "tiny.gguf", parameters=1_777_088_000))
    assert (found.name, found.parameters, found.context) == ("Tiny", 1_777_088_000, 32_768)
    assert found.token_bytes == 28 * 2 * (128 + 128) * 2


def test_a_base_model_has_no_chat_template(tmp_path: Path) -> None:
    assert not read(gguf(tmp_path / "base.gguf")).chats
    assert read(gguf(tmp_path / "chat.gguf", values={**USUAL, "tokenizer.chat_template": "{{ messages }}"})).chats


def test_heads_that_differ_between_layers_count_as_the_most(tmp_path: Path) -> None:
    values = {**USUAL, "tiny.attention.head_count_kv": [2, 0, 4]}
    assert read(gguf(tmp_path / "tiny.gguf", values=values)).token_bytes == 28 * 4 * (128 + 128) * 2


@pytest.mark.parametrize("kept", [4, 20, 60, 200])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, kept: int) -> None:
    path = gguf(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ConfigurationError, match=r"tiny\.gguf is cut off"):
        read(path)


def test_a_file_that_lacks_its_tensors_is_refused(tmp_path: Path) -> None:
    path = gguf(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:-64])
    with pytest.raises(ConfigurationError, match="cut off"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"GG", b"# A text", b"PK\x03\x04" + bytes(100)])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.gguf"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="not a GGUF file"):
        read(path)


@pytest.mark.parametrize(
    "head",
    [
        struct.pack("<IQQ", 3, 2**60, 0),
        struct.pack("<IQQ", 3, 0, 2**60),
        struct.pack("<IQQQ", 3, 0, 1, 2**63),
        struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"x", 9, 4, 2**62),
        struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"x", 9, 8, 2**62),
        struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"x", 99),
        struct.pack("<IQQ", 1, 0, 0),
    ],
)
def test_numbers_that_lie_are_refused_at_once(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "liar.gguf"
    path.write_bytes(b"GGUF" + head + bytes(64))
    with pytest.raises(ConfigurationError, match="cut off or damaged"):
        read(path)


def test_a_model_that_writes_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not a language model that writes"):
        read(gguf(tmp_path / "vision.gguf", values={"general.architecture": "clip"}))


def test_a_folder_or_nothing_is_refused_in_one_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.gguf"):
        with pytest.raises(ConfigurationError, match=str(path)) as raised:
            read(path)
        assert "\n" not in str(raised.value)
