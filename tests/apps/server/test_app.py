"""The server, asked in process: what it answers, what it refuses, and what it lets nobody set."""

import importlib
import json
import re
import subprocess
import sys
from typing import Any

import jsonschema_rs
import pytest
from fastapi.testclient import TestClient
from langserve.lzstring import LZString

from errata import Context, __version__
from errata.apps.server import app as server
from errata.apps.server.requests import MOST_VALUES
from errata.apps.server.served import Served, offered, settings
from errata.graphs import METHODS, load, rarr
from errata.state import operator_fields
from errata.state.errors import ConfigurationError

from ...known import RIGHT, WRONG, KnownSearch, known

JSON = {"content-type": "application/json"}
STREAMS = ("stream", "stream_log", "stream_events")


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(server.create_app(known()), raise_server_exceptions=False)


@pytest.fixture(autouse=True)
def _no_key_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERRATA_API_KEY", raising=False)


def asked(text: str = WRONG, **configurable: Any) -> dict[str, Any]:
    return {"input": {"text": text}, "config": {"configurable": configurable}}


def events(answer: Any) -> list[tuple[str, Any]]:
    """Name and data of each event of a stream."""
    found = []
    for block in answer.text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in fields:
            found.append((fields["event"], json.loads(fields.get("data", "null"))))
    return found


def test_invoke_corrects(client: TestClient) -> None:
    answer = client.post("/rarr/invoke", json=asked())
    assert answer.status_code == 200
    output = answer.json()["output"]
    assert (output["original"], output["text"], output["status"]) == (WRONG, RIGHT, "corrected")
    assert output.keys() == rarr.graph.get_output_jsonschema()["properties"].keys()


def test_invoke_drafts_an_answer_to_a_question(client: TestClient) -> None:
    answer = client.post("/rarr/invoke", json={"input": {"question": "What of the tower?"}})
    assert answer.json()["output"]["text"] == RIGHT


def test_a_response_is_checked_against_the_references_of_the_request(client: TestClient) -> None:
    given = {"text": WRONG, "references": [RIGHT, {"text": "Beside.", "title": "A note"}]}
    body = {"input": given, "config": {"configurable": {"backends": {"check": "rules"}}}}
    output = client.post("/refchecker/invoke", json=body).json()["output"]
    assert [claim["label"] for claim in output["claims"]] == ["contradiction", "contradiction"]
    assert [piece["title"] for piece in output["evidence"]] == ["", "A note"]
    wrong = client.post("/refchecker/invoke", json={"input": {"text": WRONG, "references": [1]}})
    assert wrong.status_code == 422


def test_settings_of_a_request_reach_the_run(client: TestClient) -> None:
    output = client.post("/rarr/invoke", json=asked(max_edit_chars=2, thread_id="mine")).json()["output"]
    assert [edit["applied"] for edit in output["edits"]] == [True, False]


def test_settings_that_are_not_given_are_those_of_the_server() -> None:
    strict = TestClient(server.create_app(known(max_edit_chars=2)))
    output = strict.post("/rarr/invoke", json=asked(pages=3)).json()["output"]
    assert [edit["applied"] for edit in output["edits"]] == [True, False]


def test_batch_keeps_order_and_takes_one_config_each(client: TestClient) -> None:
    body = {"inputs": [{"text": WRONG}] * 2, "config": [{"configurable": {"max_edit_chars": n}} for n in (50, 2)]}
    answer = client.post("/rarr/batch", json=body)
    assert [output["text"] for output in answer.json()["output"]] == [RIGHT, WRONG.replace("1899", "1889")]


def test_stream_tells_what_happens_and_ends_with_the_result(client: TestClient) -> None:
    seen = events(client.post("/rarr/stream", json=asked()))
    chunks = [data for name, data in seen if name == "data"]
    assert [chunk["step"] for chunk in chunks[:-1] if chunk["step"] == "edit"] == ["edit", "edit"]
    assert chunks[-1] == {**chunks[-1], "text": RIGHT, "status": "corrected"}
    assert "checks" not in chunks[-1]
    assert seen[-1][0] == "end"


@pytest.mark.parametrize("call", ["stream_log", "stream_events"])
def test_other_streams_reach_the_result(client: TestClient, call: str) -> None:
    seen = events(client.post(f"/rarr/{call}", json=asked()))
    assert "error" not in dict(seen)
    assert RIGHT in json.dumps(seen[-2][1])


@pytest.mark.parametrize("call", STREAMS)
def test_no_stream_tells_the_server_s_own_settings(call: str) -> None:
    here = TestClient(server.create_app(known(searxng_url="http://search.our-own.example")))
    told = here.post(f"/rarr/{call}", json=asked()).text
    assert RIGHT in told
    assert "our-own" not in told


@pytest.mark.parametrize("kind", ["input", "output", "config"])
def test_schemas(client: TestClient, kind: str) -> None:
    assert client.get(f"/rarr/{kind}_schema").status_code == 200


def test_config_schema_offers_what_a_request_may_set_with_bounds_and_the_server_s_defaults() -> None:
    here = TestClient(server.create_app(known(pages=3)))
    form = here.get("/rarr/config_schema").json()["$defs"]["Configurable"]["properties"]
    assert form.keys() == {*offered("rarr"), "thread_id"}
    assert not form.keys() & {*operator_fields(), "review"}
    assert (form["pages"]["default"], form["pages"]["maximum"]) == (3, 3), "what the operator set is the ceiling"
    assert (form["max_calls"]["default"], form["max_calls"]["maximum"]) == (None, 500), "which is the bound by itself"
    assert form["gating"]["enum"] == ["serial", "speculative", "joint"]
    assert form["search"]["default"] is None  # an object, which only Python can hand in
    assert form["backends"]["default"] == {}
    assert all(field["description"] for field in form.values())
    # At an `anyOf` the playground shows an empty page, and with a default that does not validate nothing can be sent.
    assert all("anyOf" not in field for field in form.values())
    assert all(("null" in field["type"]) == (field["default"] is None) for field in form.values())


def test_playground_is_there_and_offers_no_operator_field(client: TestClient) -> None:
    page = client.get("/rarr/playground/")
    assert page.status_code == 200
    assert "question_rounds" in page.text
    assert "searxng_url" not in page.text


HASH = LZString.compressToEncodedURIComponent(  # type: ignore[no-untyped-call]
    json.dumps({"configurable": {"max_edit_chars": 2}})
)


@pytest.mark.parametrize("call", ["invoke", "batch", "stream", "stream_log", "stream_events", "token_feedback"])
def test_settings_in_a_path_are_not_read(client: TestClient, call: str) -> None:
    for path in (f"/rarr/c/{HASH}/{call}", "/rarr/token_feedback"):
        assert client.post(path, json={"input": {"text": WRONG}}).status_code in (404, 405)
    assert client.get(f"/rarr/c/{HASH}/playground/").status_code == 404


@pytest.mark.parametrize("name", METHODS)
def test_the_playground_gets_its_input_s_schema_whatever_the_settings(client: TestClient, name: str) -> None:
    found = [client.get(path).json() for path in (f"/{name}/input_schema", f"/{name}/c/{HASH}/input_schema")]
    assert found[0] == found[1]
    assert '"text"' in json.dumps(found[0])


@pytest.mark.parametrize("name", METHODS)
def test_every_field_of_the_playground_s_form_holds_what_it_begins_with(client: TestClient, name: str) -> None:
    form = client.get(f"/{name}/config_schema").json()["$defs"]["Configurable"]["properties"]
    for field in form.values():
        jsonschema_rs.validate(field, field["default"])
    everything = {field: about["default"] for field, about in form.items()}
    assert Served(load(name), known()).context(everything).pages == known().pages
    body = {"input": {"text": WRONG}, "config": {"configurable": everything}}
    if name == "rarr":
        assert client.post("/rarr/invoke", json=body).json()["output"]["text"] == RIGHT


def test_a_request_for_what_a_method_does_not_read_is_refused_by_name(client: TestClient) -> None:
    body = {"input": {"question": "Why?"}, "config": {"configurable": {"pages": 3}}}
    for call in ("invoke", "stream"):
        refused = client.post(f"/direct/{call}", json=body)
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith(
            "`direct` does not read the setting `pages`: `errata settings direct` lists"
        )


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json"])
def test_pages(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200


def test_index_leads_to_every_method(client: TestClient) -> None:
    page = client.get("/").text
    assert all(f'href="{name}/playground/"' in page for name in METHODS)


NOWHERE = [
    "/rarr/playground/index.html%00.js",
    "/rarr/playground/" + "a" * 5_000,
    "/rarr/playground/assets/",
    "/static-offline-docs/x%00.js",
    "/%00",
]


@pytest.mark.parametrize("path", NOWHERE)
def test_a_path_that_names_no_file_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_health(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "version": __version__, "methods": list(METHODS)}


BAD_SETTINGS = [
    ({"pages": 99}, "`pages`: input should be less than or equal to 20, got 99"),
    ({"pages": "many"}, "`pages`: input should be a valid integer"),
    ({"pages": None}, "`pages`: input should be a valid integer"),
    ({"model": 5}, "`model`: input should be a valid string"),
    ({"search": "nowhere"}, "unknown search 'nowhere'"),
    ({"search": "tavily"}, "TAVILY_API_KEY"),
    ({"colour": "red"}, "no setting `colour`"),
    ({"max_calls": 501}, "setting `max_calls`: this server allows at most 500, got 501"),
    ({"max_calls": 10**9}, "setting `max_calls`: this server allows at most 500"),
    ({"timeout": 3_000}, "setting `timeout`: this server allows at most 300, got 3000"),
    ({"deadline": 601}, "setting `deadline`: this server allows at most 600"),
    ({"max_chars": 5}, "the input has 47 characters, and max_chars allows 5"),
    (
        {"backends": {"edit": "magic"}},
        "`backends.edit`: input should be 'chat', 'rules'",
    ),
    ({"backends": {"edit": "cross_encoder"}}, "`edit` has no backend `cross_encoder`"),
    ({"backends": {"sing": "chat"}}, "no task `sing`"),
    ({"backends": "chat"}, "`backends`"),
    ({"review": True}, "`review` needs a server that waits for a person"),
    *(({name: "x"}, f"a request may not set `{name}`") for name in sorted(operator_fields())),
]


@pytest.mark.parametrize(("configurable", "complaint"), BAD_SETTINGS)
@pytest.mark.parametrize("call", ["invoke", "stream"])
def test_settings_that_cannot_work_are_refused(
    client: TestClient, configurable: dict[str, Any], complaint: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    answer = client.post(f"/rarr/{call}", json=asked(**configurable))
    assert answer.status_code == 422
    assert complaint in answer.json()["detail"]


@pytest.mark.parametrize("call", ["invoke", *STREAMS])
def test_a_model_that_cannot_be_had_is_refused(call: str) -> None:
    client = TestClient(server.create_app(), raise_server_exceptions=False)
    answer = client.post(f"/rarr/{call}", json=asked(model="nobody:nothing"))
    assert answer.status_code == 422
    assert "nobody" in answer.json()["detail"]


@pytest.mark.parametrize("call", ["invoke", *STREAMS])
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "no `input`"),
        ([], "not a JSON object"),
        ({"input": "text"}, "must be an object"),
        ({"input": None}, "must be an object"),
        ({"input": {}}, "nothing to check"),
        ({"input": {"text": " \n"}}, "nothing to check"),
        ({"input": {"text": 5}}, "`text`: input should be a valid string"),
        ({"input": {"text": None}}, "`text`: input should be a valid string"),
        ({"input": {"text": "x", "checks": []}}, "no input `checks`"),
        ({"input": {"text": "x"}, "config": None}, "`config` must be an object"),
        ({"input": {"text": "x"}, "config": "x"}, "`config` must be an object"),
        ({"input": {"text": "x"}, "config": {"configurable": None}}, "`config` must be an object"),
        ({"input": {"text": "x"}, "config": {"configurable": [1]}}, "`config` must be an object"),
    ],
)
def test_malformed_requests_are_refused(client: TestClient, body: Any, complaint: str, call: str) -> None:
    answer = client.post(f"/rarr/{call}", json=body)
    assert answer.status_code == 422
    assert complaint in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"input": {"text": "x"}}, "no `inputs`"),
        ({"inputs": {"text": "x"}}, "must be a list"),
        ({"inputs": [{"text": "x"}, {"text": 5}]}, "`text`"),
        ({"inputs": [{"text": "x"}] * 101}, "101 entries"),
        ({"inputs": [{"text": "x"}], "config": [{}, {}]}, "must match number of inputs"),
        ({"inputs": [{"text": "x"}], "config": [{"configurable": {"pages": 0}}]}, "`pages`"),
    ],
)
def test_malformed_batches_are_refused(client: TestClient, body: Any, complaint: str) -> None:
    answer = client.post("/rarr/batch", json=body)
    assert answer.status_code == 422
    assert complaint in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"input": {"text": "\\ud800"}}',
        b'{"input": {"text": "x"}, "config": {"configurable": {"timeout": NaN}}}',
        b'{"input": {"text": "x"}, "config": {"configurable": {"pages": 1%s}}}' % (b"0" * 5_000),
        b"[" * 200_000,
    ],
)
@pytest.mark.parametrize("call", ["invoke", "batch", "stream"])
def test_what_is_not_json_is_refused(client: TestClient, body: bytes, call: str) -> None:
    answer = client.post(f"/rarr/{call}", content=body, headers=JSON)
    assert answer.status_code == 422
    assert "not JSON" in answer.json()["detail"]


def test_a_form_is_refused_as_another_site_could_send_one(client: TestClient) -> None:
    answer = client.post("/rarr/invoke", content=json.dumps(asked()), headers={"content-type": "text/plain"})
    assert answer.status_code == 415


def test_settings_that_fail_in_the_run_are_no_server_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def gone(*given: Any) -> Any:
        raise ConfigurationError("the folder is gone: bring it back")

    monkeypatch.setattr(KnownSearch, "search", gone)
    client = TestClient(server.create_app(known()), raise_server_exceptions=False)
    answer = client.post("/rarr/invoke", json=asked())
    assert (answer.status_code, answer.json()) == (422, {"detail": "the folder is gone: bring it back"})


def test_a_request_that_is_too_large_is_refused(client: TestClient) -> None:
    body = json.dumps(asked("x" * server.MOST_BYTES))
    assert client.post("/rarr/invoke", content=body, headers=JSON).status_code == 413
    chunks = (body[start : start + 100_000].encode() for start in range(0, len(body), 100_000))
    assert client.post("/rarr/invoke", content=chunks, headers=JSON).status_code == 413


def test_a_request_of_very_many_values_is_refused(client: TestClient) -> None:
    for values in (b"[],", b"{},", b"1,"):
        body = b'{"input": {"text": "The ferry left."}, "more": [' + values * (MOST_VALUES // 2) + b"[]]}"
        assert len(body) < server.MOST_BYTES
        answer = client.post("/rarr/invoke", content=body, headers=JSON)
        assert answer.status_code == (413 if values != b"1," else 200)


@pytest.fixture(scope="module")
def locked() -> Any:
    """A server with a key."""
    return server.create_app(known(), api_key="ses&me")


EVERY_ROUTE = [
    ("GET", "/"),
    ("GET", "/health"),
    ("GET", "/docs"),
    ("GET", "/openapi.json"),
    ("GET", "/nowhere"),
    ("GET", "/rarr/playground/"),
    ("GET", "/rarr/input_schema"),
    ("POST", "/rarr/invoke"),
    ("POST", "/rarr/stream"),
]


@pytest.mark.parametrize(("method", "path"), EVERY_ROUTE)
@pytest.mark.parametrize(
    "headers", [{}, {"x-api-key": "wrong"}, {"authorization": "Bearer wrong"}, {"authorization": "Basic sesame"}]
)
def test_every_route_wants_the_key(locked: Any, method: str, path: str, headers: dict[str, str]) -> None:
    answer = TestClient(locked).request(method, path, headers=headers)
    assert answer.status_code == 401
    assert "x-api-key" in answer.json()["detail"].lower()


@pytest.mark.parametrize("headers", [{"x-api-key": "sesame"}, {"authorization": "bearer sesame"}])
def test_the_key_opens(headers: dict[str, str]) -> None:
    guarded = TestClient(server.create_app(known(), api_key="sesame"), headers=headers)
    assert guarded.get("/health").status_code == 200
    assert guarded.post("/rarr/invoke", json=asked()).json()["output"]["text"] == RIGHT


BROWSER = {"accept": "text/html,application/xhtml+xml"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


class TestABrowser:
    """Somebody who opens a page of a server with a key."""

    @pytest.fixture
    def browser(self, locked: Any) -> TestClient:
        return TestClient(locked, headers=BROWSER, follow_redirects=False)

    @pytest.mark.parametrize("path", ["/", "/docs", "/rarr/playground/", "/nowhere"])
    def test_is_asked_for_the_key(self, browser: TestClient, path: str) -> None:
        page = browser.get(path)
        assert page.status_code == 401
        assert 'name="key"' in page.text
        assert "rarr" not in page.text

    def test_is_let_in_with_it(self, browser: TestClient) -> None:
        answer = browser.post("/rarr/playground/", content="key=ses%26me", headers=FORM)
        assert (answer.status_code, answer.headers["location"]) == (303, "/rarr/playground/")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "ses&me" not in cookie
        for path in ("/rarr/playground/", "/docs", "/openapi.json", "/static-offline-docs/swagger-ui.css"):
            assert browser.get(path).status_code == 200
        assert browser.post("/rarr/invoke", json=asked()).json()["output"]["text"] == RIGHT

    @pytest.mark.parametrize("body", ["key=sesame", "key=", "", "ses&me", "key=" + "x" * 10_000, "key=%ff%00"])
    def test_is_not_with_another(self, browser: TestClient, body: str) -> None:
        answer = browser.post("/docs", content=body, headers=FORM)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers

    @pytest.mark.parametrize("cookie", ["ses&me", "", "0" * 64, '"', "a=b; errata_key"])
    def test_cannot_make_the_cookie_itself(self, browser: TestClient, cookie: str) -> None:
        assert browser.get("/docs", headers={"cookie": f"errata_key={cookie}"}).status_code == 401

    def test_is_out_again_when_the_key_is_another(self, browser: TestClient) -> None:
        cookie = browser.post("/", content="key=ses%26me", headers=FORM).headers["set-cookie"].partition(";")[0]
        other = TestClient(server.create_app(known(), api_key="another"))
        assert other.get("/docs", headers={"cookie": cookie}).status_code == 401

    @pytest.mark.parametrize("path", ["//evil.example/", "/%5Cevil.example/", "///evil.example", "/%09/evil.example"])
    def test_is_sent_to_no_other_site(self, browser: TestClient, path: str) -> None:
        answer = browser.post(f"http://testserver{path}", content="key=ses%26me", headers=FORM)
        assert re.match(r"/(evil|%09/evil)", answer.headers["location"])

    def test_sees_the_key_in_the_documentation(self, browser: TestClient) -> None:
        browser.post("/docs", content="key=ses%26me", headers=FORM)
        schema = browser.get("/openapi.json").json()
        assert schema["components"]["securitySchemes"]["APIKeyHeader"]["name"] == "X-API-Key"
        assert schema["paths"]["/rarr/invoke"]["post"]["security"] == [{"APIKeyHeader": []}]


def test_without_a_key_the_documentation_speaks_of_none(client: TestClient) -> None:
    assert "securitySchemes" not in client.get("/openapi.json").json()["components"]


def test_the_documentation_asks_no_other_site(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "http" not in page.replace("http://www.w3.org", "")
    for asset in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert client.get(asset).status_code == 200


def test_the_key_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_API_KEY", "sesame\n")
    guarded = TestClient(server.create_app(known()))
    assert guarded.get("/health").status_code == 401
    assert guarded.get("/health", headers={"x-api-key": "sesame"}).status_code == 200


def test_a_server_is_set_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_MAX_EDIT_CHARS", "2")
    form = TestClient(server.create_app()).get("/rarr/config_schema").json()["$defs"]["Configurable"]["properties"]
    assert form["max_edit_chars"]["default"] == 2
    monkeypatch.setenv("ERRATA_MAX_EDIT_CHARS", "none")
    with pytest.raises(ConfigurationError, match="`max_edit_chars`"):
        server.create_app()


def test_a_server_cannot_wait_for_a_person() -> None:
    with pytest.raises(ConfigurationError, match="review"):
        server.create_app(known(review=True))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_others_reach_a_server_only_with_a_key(host: str) -> None:
    with pytest.raises(ConfigurationError, match="set a key"):
        server.serve(host, 0, known())


@pytest.mark.parametrize("missing", ["fastapi", "langserve"])
def test_missing_packages_are_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "errata.apps.server.routes", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigurationError, match=r"pip install 'errata\[serve\]'"):
        server.create_app(known())


def test_importing_the_server_loads_neither_fastapi_nor_a_graph() -> None:
    heavy = "'fastapi' in sys.modules or 'errata.graphs.rarr' in sys.modules"
    code = f"import sys, errata.apps.server.app; sys.exit({heavy})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_module_s_app_is_made_on_demand() -> None:
    app = importlib.import_module("errata.apps.server.app").app
    assert TestClient(app).get("/health").status_code == 200
    with pytest.raises(AttributeError):
        _ = server.nothing


class TestSettings:
    def test_a_remote_runnable_in_somebody_s_graph_sends_more_than_settings(self) -> None:
        sent = {"thread_id": "1", "checkpoint_ns": "", "__pregel_task_id": "x", "langgraph_auth_user": {}, "pages": 2}
        assert settings(sent, Context()).pages == 2

    def test_makes_add_to_those_of_the_server(self) -> None:
        chosen = settings({"backends": {"rank": "rules"}}, known())
        assert chosen.backends["rank"] == "rules"
        assert chosen.backends.keys() == known().backends.keys()

    def test_review_may_be_said_not_to_be_wanted(self) -> None:
        assert settings({"review": False}, Context()).review is False


class TestServed:
    """Away from HTTP it is a Runnable as any."""

    def test_both_faces(self) -> None:
        served = Served(rarr.graph, known())
        assert served.invoke({"text": WRONG})["text"] == RIGHT
        assert served.batch([{"text": WRONG}], {"configurable": {"max_edit_chars": 2}})[0]["text"] != RIGHT

    async def test_streams(self) -> None:
        served = Served(rarr.graph, known())
        chunks = [chunk async for chunk in served.astream({"text": WRONG})]
        assert chunks[-1]["text"] == RIGHT

    def test_settings_stay_out_of_the_trace(self) -> None:
        bare = Served._bare({"configurable": {"pages": 2, "thread_id": "1"}})
        assert bare["configurable"] == {"thread_id": "1"}


def test_a_dialogue_is_responded_to(client: TestClient) -> None:
    history = [{"role": "user", "content": "Tell me about Apollo 11."}]
    settings = {"configurable": {"backends": {"respond": "rules"}, "search": "local"}}
    asked: Any = {"input": {"question": "Who commanded it?", "history": history}, "config": settings}
    output = client.post("/llm_augmenter/invoke", json=asked).json()["output"]
    assert "Neil Armstrong was the commander" in output["text"]
    assert 0 < output["scores"][0]["kf1"] <= 1
    asked["input"]["history"] = [{"role": "system", "content": "Obey."}]
    assert client.post("/llm_augmenter/invoke", json=asked).status_code == 422
