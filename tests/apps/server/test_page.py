"""The page of the server, asked in process: what it shows, what it refuses, and what it keeps of files."""

import base64
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from errata import Context
from errata.apps.server import app as server
from errata.apps.server import page
from errata.apps.server.outcome import fragment
from errata.graphs import METHODS
from errata.state.errors import ConfigurationError
from errata.state.runs import cache
from errata.tools.search import MAX_TEXT

from ...known import RIGHT, WRONG, KnownSearch, known
from .test_decide import edit, result, sentence

HOSTILE = "</span><script>window.pwned = 1</script><img src=x onerror=alert(1)> \u202e\0 & \" '"
TOWER = "The Harbour Tower was completed in 1889. It stands in Linden."
FALSE = "The Harbour Tower was completed in 1899."


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(server.create_app(known(), api_key=""), raise_server_exceptions=False)


@pytest.fixture(scope="module")
def offline() -> TestClient:
    """A server without a model, as it starts by default."""
    return TestClient(server.create_app(Context(), api_key=""), raise_server_exceptions=False)


def sent(name: str, data: bytes | str) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()}


def watch(client: TestClient, method: str = "rarr", text: str = WRONG, **more: Any) -> list[tuple[str, Any]]:
    """Name and data of what the page is told of a run."""
    answer = client.post(f"/{method}/watch", json={"input": {"text": text}, **more})
    assert answer.status_code == 200, answer.text
    blocks = [block.split("\n") for block in answer.text.replace("\r\n", "\n").split("\n\n")]
    fields = [
        dict(line.split(": ", 1) for line in block if not line.startswith(":") and ": " in line) for block in blocks
    ]
    return [(each["event"], json.loads(each["data"])) for each in fields if "event" in each]


def outcome(*given: Any, **more: Any) -> dict[str, Any]:
    name, data = watch(*given, **more)[-1]
    assert name == "result", data
    found: dict[str, Any] = data
    return found


def refused(client: TestClient, method: str = "rarr", **body: Any) -> str:
    answer = client.post(f"/{method}/watch", json={"input": {"text": FALSE}, **body})
    assert answer.status_code == 422
    detail: str = answer.json()["detail"]
    assert "\n" not in detail
    return detail


def test_the_page_may_load_and_run_nothing_but_its_own(client: TestClient) -> None:
    answer = client.get("/")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.text.count("<script") == 1
    assert all(word not in answer.text for word in ("style=", "onclick", "src="))


def test_the_page_offers_the_methods_and_leads_to_their_playgrounds(client: TestClient) -> None:
    text = client.get("/").text
    assert all(f'href="{name}/playground/"' in text for name in METHODS)
    assert '<option value="ground"' in text
    assert '<option value="rejection_sampling' not in text, "it wants the right answer"


def test_the_page_tells_no_path_and_no_address_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TOWER, encoding="utf-8")
    context = Context(sources=str(tmp_path), model="openai:gpt-5-mini", base_url="http://me:secret@10.0.0.1/v1")
    text = TestClient(server.create_app(context, api_key="")).get("/").text
    assert "gpt-5-mini" in text
    assert not any(private in text for private in (str(tmp_path), "secret", "10.0.0.1"))


def test_a_run_tells_its_steps_and_then_its_outcome(client: TestClient) -> None:
    told = watch(client)
    assert ("step", {"step": "edit", "line": "1899 → 1889"}) in told
    data = told[-1][1]
    assert data["result"]["text"] == RIGHT
    assert "".join(piece["before"] for piece in data["pieces"]) == WRONG
    assert {piece["change"] for piece in data["pieces"]} == {0, 1, 2}
    assert "2 corrections" in data["html"]


def test_without_a_model_it_says_that_rules_did_it(offline: TestClient) -> None:
    assert "No model is set" in offline.get("/").text
    assert "No language model was asked" in outcome(offline, "ground", FALSE, files=[sent("a.txt", TOWER)])["html"]


def test_what_goes_wrong_in_a_run_is_one_line(monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
    async def gone(*given: Any) -> Any:
        raise ConfigurationError("the folder is gone: bring it back")

    async def broken(*given: Any) -> Any:
        raise ZeroDivisionError("something of the inside")

    monkeypatch.setattr(KnownSearch, "search", gone)
    assert watch(client)[-1] == ("error", {"detail": "the folder is gone: bring it back"})
    monkeypatch.setattr(KnownSearch, "search", broken)
    name, data = watch(client)[-1]
    assert name == "error"
    assert "ZeroDivisionError" in data["detail"]
    assert "inside" not in data["detail"]


ELSEWHERE = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://testserver.evil.example"},
    {"origin": "http://["},
    {"origin": "http://[::1"},
    {"origin": "testserver"},
    {"origin": "http://testserver#x"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "origin": "http://testserver"},
]


@pytest.mark.parametrize("call", ["watch", "report"])
@pytest.mark.parametrize("headers", ELSEWHERE)
def test_the_page_of_another_site_can_t_post(client: TestClient, call: str, headers: dict[str, str]) -> None:
    assert client.post(f"/rarr/{call}", json={"input": {"text": WRONG}}, headers=headers).status_code == 403


@pytest.mark.parametrize("call", ["watch", "report"])
def test_a_form_can_t_be_posted(client: TestClient, call: str) -> None:
    given = {"content": "{}", "headers": {"content-type": "text/plain"}}
    assert client.post(f"/rarr/{call}", **given).status_code == 415  # type: ignore[arg-type]


@pytest.mark.parametrize("headers", [{"origin": "http://testserver"}, {"sec-fetch-site": "same-origin"}, {}])
def test_its_own_page_can(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/rarr/watch", json={"input": {"text": WRONG}}, headers=headers).status_code == 200


@pytest.mark.parametrize("call", ["watch", "report"])
def test_a_key_is_asked_for(call: str) -> None:
    locked = TestClient(server.create_app(known(), api_key="sesame"))
    assert locked.post(f"/rarr/{call}", json={"input": {"text": WRONG}}).status_code == 401
    assert locked.get("/").status_code == 401


def test_the_settings_of_the_operator_are_theirs(client: TestClient) -> None:
    settings = {"configurable": {"sources": "/etc"}}
    assert "a request may not set `sources`" in refused(client, config=settings)
    assert "this server allows at most 500" in refused(client, config={"configurable": {"max_calls": 501}})


def test_everything_in_the_outcome_is_escaped() -> None:
    text = f"It is 1899. {HOSTILE} Done."
    bad: Any = {
        "id": "one",
        "query": HOSTILE,
        "text": f"{HOSTILE} 1889",
        "title": HOSTILE,
        "source": HOSTILE,
        "score": 1,
    }
    usage = {"llm_calls": 1, "input_tokens": 1, "output_tokens": 1, "searches": 1, "tool_runs": 0, "seconds": 0.1}
    wrong = {**sentence(text, "It is 1899."), "question": HOSTILE, "reason": HOSTILE, "left": HOSTILE}
    made = result(
        text,
        [edit(text, "1899", HOSTILE, reason=HOSTILE), edit(text, "Done", HOSTILE, applied=False)],
        evidence=[bad],
        attribution=[{**sentence(text, "It is 1899."), "end": 7, "quote": HOSTILE}],
        unresolved=[{**wrong, "evidence": "one"}],
        failures=[{"step": HOSTILE, "reason": HOSTILE, "unchecked": True}],
        reason=HOSTILE,
        stopped=HOSTILE,
        usage=usage,
    )
    html = fragment(made, HOSTILE)
    assert "&lt;script&gt;" in html
    assert not any(live in html for live in ("<script", "<img", "onerror=alert(1)>", "\u202e & "))


def shown(html: str) -> str:
    """The text as the fragment has it, with its changes made."""
    from lxml import html as reader

    (text,) = reader.fromstring(f"<div>{html}</div>").xpath("//*[@id='text']")
    for taken_out in text.xpath(".//del"):
        taken_out.drop_tree()
    return str(text.text_content())


@pytest.mark.parametrize(
    "edits",
    [
        [("1899", "1889")],
        [(" very", "")],
        [("Lyon, very near the sea.", "Paris.")],
        [("1899. It stands", "1889, and stands")],
        [("The tower was built in 1899. It stands in Lyon, very near the sea.", "Nobody knows it. At all.")],
        [],
    ],
)
def test_the_text_is_whole_wherever_changes_and_sentences_end(edits: list[tuple[str, str]]) -> None:
    text = "The tower was built in 1899. It stands in Lyon, very near the sea."
    made = result(text, [edit(text, *each) for each in edits])
    made["usage"] = outcome_usage()
    cuts = [0, 10, 28, len(made["text"])]
    made["attribution"] = [
        {"sentence": made["text"][a:b], "start": a, "end": b, "evidence": [], "status": "checked"}
        for a, b in itertools.pairwise(cuts)
    ]
    assert shown(fragment(made, "rarr")) == made["text"]


def outcome_usage() -> Any:
    return {"llm_calls": 0, "input_tokens": 0, "output_tokens": 0, "searches": 0, "tool_runs": 0, "seconds": 0.0}


class TestFiles:
    def test_are_what_the_text_is_compared_with(self, offline: TestClient) -> None:
        for method in ("ground", "rarr"):
            found = outcome(offline, method, FALSE, files=[sent("Harbour_Tower.md", f"# Harbour Tower\n\n{TOWER}")])
            assert found["result"]["text"] == FALSE.replace("1899", "1889")
            assert {piece["source"] for piece in found["result"]["evidence"]} == {"Harbour_Tower.md"}
            assert "<mark>" in found["html"]

    @pytest.mark.parametrize("name", ["../../etc/passwd.txt", "C:\\Users\\me\\passwd.txt", "/passwd.txt"])
    def test_names_are_shown_and_never_paths(self, offline: TestClient, name: str) -> None:
        found = outcome(offline, "ground", FALSE, files=[sent(name, TOWER)])
        assert [piece["source"] for piece in found["result"]["evidence"]] == ["passwd.txt"]

    def test_a_long_document_is_searched(self, offline: TestClient) -> None:
        long = (
            "\n\n".join(f"Room {number} of the archive is locked." for number in range(MAX_TEXT // 30)) + f"\n\n{TOWER}"
        )
        found = outcome(offline, "ground", FALSE, files=[sent("archive.txt", long)])
        assert found["result"]["text"] == FALSE.replace("1899", "1889")
        assert found["result"]["usage"]["searches"]

    def test_nothing_is_kept(self, offline: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERRATA_CACHE_DIR", str(tmp_path))
        cache.disk_cache.cache_clear()
        outcome(offline, "rarr", FALSE, files=[sent("tower.txt", TOWER)])
        assert not any(b"Linden" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert refused(offline, "rarr", files=[sent("x.txt", " ")]).startswith("x.txt can't be read: no text in it")

    @pytest.mark.parametrize(
        ("files", "complaint"),
        [
            ("tower.txt", "`files` must be a list"),
            ([1], "`files` must be a list"),
            ([{"name": "a.txt"}], "needs a `name` and its `data`"),
            ([{"name": "a.txt", "data": "%%%"}], "a.txt: its data is not base 64"),
            ([sent("a.exe", "MZ")], "a.exe: send a document that ends in .txt"),
            ([sent("", "x")], "a file without a name: send a document"),
            ([sent("a.pdf", b"%PDF-1.4 nothing")], "a.pdf can't be read: broken PDF"),
            ([sent("a.txt", "x")] * 9, "9 files are too many: send at most 8"),
            ([sent("a.txt", b"x" * (page.MOST_UPLOADED + 1))], "send at most 5 MB"),
        ],
    )
    def test_what_can_t_be_read_is_named(self, offline: TestClient, files: Any, complaint: str) -> None:
        assert complaint in refused(offline, "ground", files=files)

    def test_a_method_without_documents_says_so(self, offline: TestClient) -> None:
        assert "`critic_toxicity` uses no documents" in refused(
            offline, "critic_toxicity", files=[sent("a.txt", TOWER)]
        )

    def test_are_bounded_in_all(self, client: TestClient) -> None:
        body = b'{"input": {"text": "x"}, "files": "' + b"x" * page.MOST_OF_PAGE + b'"}'
        headers = {"content-type": "application/json"}
        assert client.post("/ground/watch", content=body, headers=headers).status_code == 413


class TestReport:
    def test_has_what_a_person_decided(self, client: TestClient) -> None:
        came = outcome(client)
        body = {"result": came["result"], "settings": came["settings"], "rejected": [2]}
        answer = client.post("/rarr/report", json=body)
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "a person rejected it" in answer.text
        assert "1 correction" in answer.text

    def test_has_a_bounded_number_of_edits(self, client: TestClient) -> None:
        result = outcome(client)["result"]
        edits = [result["edits"][0] | {"applied": False}] * (page.MOST_EDITS + 1)
        assert client.post("/rarr/report", json={"result": result | {"edits": edits}}).status_code == 413

    @pytest.mark.parametrize("method", ["rarr", "ground", "refchecker"])
    def test_is_made_of_any_result(self, offline: TestClient, method: str) -> None:
        came = outcome(offline, method, FALSE, files=[sent("a.txt", TOWER)])
        assert offline.post(f"/{method}/report", json={"result": came["result"]}).status_code == 200

    @pytest.mark.parametrize("change", [{"text": 1}, {"edits": [{}]}, {"attribution": None}, {"usage": {}}])
    def test_of_something_else_is_refused(self, client: TestClient, change: dict[str, Any]) -> None:
        came = outcome(client)
        answer = client.post("/rarr/report", json={"result": came["result"] | change})
        assert (answer.status_code, "run it again" in answer.json()["detail"]) == (422, True)

    @pytest.mark.parametrize("rejected", [[9], ["x"], 3])
    def test_of_changes_that_there_are_not_is_refused(self, client: TestClient, rejected: Any) -> None:
        came = outcome(client)
        assert client.post("/rarr/report", json={"result": came["result"], "rejected": rejected}).status_code == 422
