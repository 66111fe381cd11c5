"""`errata models` against a hub and servers of language models on the loopback interface."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from errata.models.local import catalogue, hub, servers
from errata.models.local.catalogue import Model
from errata.state.runs.chosen import chosen, chosen_file

from ..conftest import Errata
from ..ggufs import gguf

REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What a hub on this machine has, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    """By path behind its address."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Path and range."""
    breaks_after: int | None = None
    """Bytes of an answer after which the connection breaks."""
    elsewhere: bool = False
    """Whether files lie under another path, with their hash told on the way."""
    address: str = ""


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    found = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            found.asked.append((self.path, wanted))
            content = found.files.get(self.path.removeprefix("/store"))
            if content is None:
                self._answer(404, b"")
            elif found.elsewhere and not self.path.startswith("/store"):
                told = hashlib.sha256(content).hexdigest()
                self._answer(302, b"", Location=f"/store{self.path}", **{"X-Linked-ETag": f'"{told}"'})
            elif wanted:
                self._answer(206, content[int(re.findall(r"\d+", wanted)[0]) :])
            else:
                self._answer(200, content)

        def _answer(self, status: int, content: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: found.breaks_after])
            self.close_connection = found.breaks_after is not None

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    found.address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setenv("HF_ENDPOINT", found.address)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ERRATA_CONFIG_DIR", str(tmp_path / "config"))
    for name in ("HF_HUB_OFFLINE", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(servers, "USUAL", {"Ollama": f"{found.address}/v1"})
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def listed(monkeypatch: pytest.MonkeyPatch, kind: Any = "writes", **files: str) -> Model:
    """A model of one's own in the list."""
    labels = "neutral,entailment"
    model = Model("tiny", kind, "someone/tiny", REVISION, files, 1, "MIT", "English", "is tiny", labels=labels)
    monkeypatch.setitem(catalogue.MODELS, "tiny", model)
    return model


def put(there: Hub, name: str, content: bytes) -> str:
    """Have a file on the hub. Returns its hash."""
    there.files[f"/someone/tiny/resolve/{REVISION}/{name}"] = content
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def model(there: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Model:
    content = gguf(tmp_path / "tiny.gguf", size=300_000).read_bytes()
    return listed(monkeypatch, **{"tiny.gguf": put(there, "tiny.gguf", content)})


def test_a_model_is_fetched_to_where_the_hub_s_own_tools_find_it(errata: Errata, model: Model, tmp_path: Path) -> None:
    code, out, err = errata("models", "get", "tiny")
    path = tmp_path / "home/hub/models--someone--tiny/snapshots" / REVISION / "tiny.gguf"
    assert (code, out.strip()) == (0, str(path))
    assert path.read_bytes() == (tmp_path / "tiny.gguf").read_bytes()
    assert "someone/tiny (1 MB, MIT)" in err
    assert errata("models", "path", "tiny")[1].strip() == str(path)
    assert "✓ tiny" in errata("models", "list")[1]


def test_what_is_here_is_not_fetched_again(errata: Errata, model: Model, there: Hub) -> None:
    errata("models", "get", "tiny")
    there.asked.clear()
    assert errata("models", "get", "tiny")[0] == 0
    assert there.asked == []


def test_a_download_that_broke_off_goes_on_where_it_stopped(errata: Errata, model: Model, there: Hub) -> None:
    there.breaks_after = 200_000
    code, _, err = errata("models", "get", "tiny")
    assert (code, err.count("\n")) == (1, 2)
    assert "run the same command again" in err
    assert not hub.is_here(model)
    there.breaks_after = None
    there.asked.clear()
    assert errata("models", "get", "tiny")[0] == 0
    assert [wanted for _, wanted in there.asked] == ["bytes=200000-"]
    assert hub.is_here(model)


def test_another_file_than_the_pinned_one_is_refused_and_deleted(errata: Errata, model: Model, there: Hub) -> None:
    put(there, "tiny.gguf", b"GGUF, but another one")
    code, out, err = errata("models", "get", "tiny")
    assert (code, out) == (2, "")
    assert "not the file that was pinned" in err
    assert list(hub.folder(model).iterdir()) == []


def test_garbage_that_lay_there_does_not_get_into_the_file(errata: Errata, model: Model) -> None:
    partial = hub.folder(model) / "tiny.gguf.incomplete"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"x" * 1_000)
    assert errata("models", "get", "tiny")[0] == 2
    assert errata("models", "get", "tiny")[0] == 0


def test_without_a_pinned_hash_that_of_the_hub_counts_and_ours_is_shown(
    errata: Errata, there: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.elsewhere = True
    content = b"weights" * 100
    found = put(there, "model.bin", content)
    model = listed(monkeypatch, "judges", **{"model.bin": ""})
    assert found in errata("models", "get", "tiny")[2]
    assert errata("models", "path", "tiny")[1].strip() == str(hub.folder(model))
    (hub.folder(model) / "model.bin").rename(hub.folder(model) / "model.bin.incomplete")
    with (hub.folder(model) / "model.bin.incomplete").open("r+b") as file:
        file.write(b"W")
        file.truncate(100)
    code, _, err = errata("models", "get", "tiny")
    assert code == 2
    assert found in err


def test_offline_nothing_is_asked_for(
    errata: Errata, model: Model, there: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    code, _, err = errata("models", "get", "tiny")
    assert (code, there.asked) == (2, [])
    assert "HF_HUB_OFFLINE" in err


def test_what_the_hub_lacks_or_a_hub_that_is_away_is_one_line(
    errata: Errata, there: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(monkeypatch, **{"gone.gguf": ""})
    code, _, err = errata("models", "get", "tiny")
    assert (code, "answers 404" in err) == (2, True)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    code, _, err = errata("models", "get", "tiny")
    assert (code, err.count("\n")) == (1, 2)
    assert "127.0.0.1 cannot be reached (" in err
    assert "Errno" not in err
    assert "check the network" in err


@pytest.mark.parametrize("what", ["get", "path", "use"])
def test_an_unknown_name_says_which_are_like_it(errata: Errata, there: Hub, what: str) -> None:
    code, _, err = errata("models", what, "qwen2.5-coder-1.5-instruct")
    assert code == 2
    assert "did you mean `qwen2.5-coder-1.5b-instruct`" in err
    assert there.asked == []


def test_use_fetches_a_model_and_keeps_the_choice(errata: Errata, model: Model) -> None:
    assert errata("models", "use", "tiny")[0] == 0
    assert chosen() == {"model": "embedded:tiny"}
    assert "Chosen   model=embedded:tiny" in errata("models", "list")[1]
    assert errata("models", "use", "none")[0] == 0
    assert chosen() == {}


def test_a_judge_is_chosen_beside_a_model_that_writes(
    errata: Errata, there: Hub, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    errata("models", "use", "tiny")
    judge = listed(monkeypatch, "judges", **{"model.onnx": put(there, "model.onnx", b"onnx")})
    assert errata("models", "use", "tiny")[0] == 0
    kept = json.loads(chosen_file().read_text())
    assert kept == {"model": "embedded:tiny", "nli": str(hub.folder(judge)), "nli_labels": "neutral,entailment"}


def test_a_file_is_chosen_by_its_path_and_looked_at_first(errata: Errata, there: Hub, tmp_path: Path) -> None:
    path = gguf(tmp_path / "mine.gguf")
    assert errata("models", "use", str(path))[0] == 0
    assert chosen() == {"model": f"embedded:{path}"}
    path.write_bytes(b"no model")
    code, _, err = errata("models", "use", str(path))
    assert (code, "not a GGUF file" in err) == (2, True)


def test_a_server_on_this_machine_is_named_and_can_be_chosen(errata: Errata, there: Hub) -> None:
    there.files["/v1/models"] = json.dumps({"data": [{"id": "qwen2.5:3b"}]}).encode()
    assert f"Running  {there.address}/v1: qwen2.5:3b" in errata("models", "list")[1]
    assert errata("models", "use", there.address)[0] == 0
    assert chosen() == {"model": "openai:qwen2.5:3b", "base_url": f"{there.address}/v1", "send_key": False}


def test_of_several_models_of_a_server_one_has_to_be_named(errata: Errata, there: Hub) -> None:
    there.files["/v1/models"] = json.dumps({"data": [{"id": "a"}, {"id": "b"}]}).encode()
    code, _, err = errata("models", "use", there.address)
    assert (code, "serves a, b: choose one with --served NAME" in err) == (2, True)
    assert errata("models", "use", f"{there.address}/v1", "--served", "b")[0] == 0
    assert chosen()["model"] == "openai:b"


def test_a_file_that_is_not_there_is_not_taken_for_a_name(errata: Errata, tmp_path: Path) -> None:
    code, _, err = errata("models", "use", tmp_path / "none.gguf")
    assert (code, err) == (2, f"errata: there is no GGUF file {tmp_path / 'none.gguf'}\n")


@pytest.mark.parametrize("content", [None, b"hello", b"[]", b'{"data": [1]}'])
def test_what_is_no_such_server_is_refused_in_one_line(errata: Errata, there: Hub, content: bytes | None) -> None:
    if content is not None:
        there.files["/v1/models"] = content
    code, _, err = errata("models", "use", there.address)
    assert (code, err.count("\n"), "not a running model server" in err) == (2, 1, True)
    assert chosen() == {}
