"""The protocol's server: a whole session, every kind of request, and whatever a broken client sends."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import SourceError
from grader.debug.framing import read_message
from grader.debug.launch import Launch
from grader.debug.session import Session
from grader.replay.trace import Trace

from .client import Client, session
from .made import SOURCE, made_trace


def record(launch: Launch, say: Callable[[str], None]) -> Trace:
    say(f"recording {launch.file}")
    return made_trace()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "scale.cu"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def client(file: Path) -> Iterator[Client]:
    with session(record) as client:
        yield client.launched(problem="scaling", file=str(file))


def stopped(client: Client, command: str, **arguments: Any) -> Any:
    client.ask(command, **arguments)
    return client.event("stopped")


def test_a_session_from_breakpoint_to_fault_and_back(client: Client, file: Path) -> None:
    told = client.ask("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": 13, "condition": "k == 2"}])
    assert told["breakpoints"] == [
        {"id": 1, "verified": True, "line": 13, "source": {"name": "scale.cu", "path": str(file)}}
    ]
    stop = stopped(client, "configurationDone")
    assert (stop["reason"], stop["threadId"], stop["hitBreakpointIds"]) == ("breakpoint", 1, [1])
    assert client.stack(1)[0]["line"] == 13
    assert stopped(client, "continue", threadId=1)["threadId"] == 33, "the other warp"
    stop = stopped(client, "continue", threadId=33)
    assert (stop["reason"], stop["text"]) == ("exception", "C[115] is past the end of C")
    assert client.ask("exceptionInfo", threadId=36)["exceptionId"] == "fault"
    assert stopped(client, "reverseContinue", threadId=36)["reason"] == "breakpoint"
    assert stopped(client, "stepBack", threadId=33)["reason"] == "step"
    assert client.stack(33)[0]["line"] == 12
    client.ask("stepIn", threadId=33)
    client.event("stopped")
    assert [frame["name"] for frame in client.stack(33)] == ["scaled", "scale"]
    assert stopped(client, "stepOut", threadId=33)["reason"] == "step"
    assert stopped(client, "next", threadId=33)["reason"] == "step"


def test_what_is_different_from_the_graded_build_is_told(client: Client) -> None:
    outputs = [event["body"]["output"] for event in client.events if event["event"] == "output"]
    assert any("This build has -G" in text for text in outputs)


def test_threads_are_those_of_the_block(client: Client) -> None:
    threads = client.ask("threads")["threads"]
    assert len(threads) == 40
    assert threads[35] == {"id": 36, "name": "block (2,0,0) thread (35,0,0)"}
    assert client.ask("kgrade/focus", warp=1)["focus"] == "warp 1"
    assert len(client.ask("threads")["threads"]) == 8


def test_a_race_between_blocks_has_the_threads_of_both(file: Path) -> None:
    both = replace(made_trace(), blocks=((1, 0, 0), (2, 0, 0)))
    with session(lambda launch, say: both) as client:
        client.launched(problem="scaling", file=str(file), focus={"block": "1"})
        assert len(client.ask("threads")["threads"]) == 40
        client.ask("kgrade/focus")
        threads = client.ask("threads")["threads"]
        assert len(threads) == 80
        # A block's threads begin with a new warp.
        assert threads[40] == {"id": 65, "name": "block (2,0,0) thread (0,0,0)"}
        assert client.ask("stackTrace", threadId=65)["stackFrames"] == []
        assert "there is no thread 41" in client.request("stackTrace", threadId=41)["message"]
        refused = client.request("kgrade/focus", block="3")
        assert "there is no block (3,0,0); the grid has (0,0,0) to (2,0,0)" in refused["message"]
        refused = client.request("evaluate", expression=":thread 40", context="repl")
        assert "recorded are threads (0,0,0) to (39,0,0) of blocks (1,0,0) and (2,0,0)" in refused["message"]


def record_block(launch: Launch, say: Callable[[str], None]) -> Trace:
    """Of three blocks the one that is asked for."""
    say(f"recording {launch.block}")
    block = launch.block or (2, 0, 0)
    return replace(made_trace(), block=block, blocks=(block,))


def test_another_block_is_entered_when_the_focus_goes_there(file: Path) -> None:
    with session(record_block) as client:
        client.launched(problem="scaling", file=str(file))
        client.ask("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": 13, "condition": "k == 1"}])
        stopped(client, "configurationDone")
        assert client.ask("kgrade/focus", block="0", warp=1) == {"focus": "block (0,0,0), warp 1", "threadId": 33}
        stop = client.event("stopped")
        assert (stop["reason"], stop["threadId"], stop["text"]) == ("entry", 33, "block (0,0,0) begins here")
        assert client.ask("threads")["threads"][0] == {"id": 33, "name": "block (0,0,0) thread (32,0,0)"}
        assert client.ask("evaluate", expression="blockIdx.x")["result"] == "0"
        stop = stopped(client, "continue", threadId=33)
        assert (stop["threadId"], stop["hitBreakpointIds"]) == (33, [1])
        client.ask("evaluate", expression=":thread 3 block 1", context="repl")
        assert client.event("stopped")["threadId"] == 4
        assert client.ask("evaluate", expression="blockIdx.x")["result"] == "1"
        client.ask("restart")
        client.event("stopped")
        assert client.ask("evaluate", expression="blockIdx.x")["result"] == "1"


@pytest.mark.parametrize("given", [{"block": "1,0"}, {"focus": {"block": "1"}}])
def test_a_launch_may_name_the_block(file: Path, given: dict[str, Any]) -> None:
    with session(record_block) as client:
        client.launched(problem="scaling", file=str(file), stopOnEntry=True, **given)
        stopped(client, "configurationDone")
        assert client.ask("threads")["threads"][0]["name"] == "block (1,0,0) thread (0,0,0)"
    with session(record_block) as client:
        client.ask("initialize", adapterID="kgrade")
        refused = client.request("launch", problem="scaling", file=str(file), block="x")
        assert "block: x is no index" in refused["message"]


def test_scopes_and_variables(client: Client) -> None:
    stopped(client, "configurationDone")
    frame = client.stack(36)[0]
    scopes = {each["name"]: each for each in client.ask("scopes", frameId=frame["id"])["scopes"]}
    assert list(scopes) == ["Locals", "Parameters", "Shared", "Arrays", "Launch"]
    locals_ = client.variables(scopes["Locals"]["variablesReference"])
    assert {name: each["value"] for name, each in locals_.items()} == {
        "i": "115",
        "sum": "690",
        "pair": "{count=3, weights={no value yet, no value yet}}",
    }
    inside = client.variables(locals_["pair"]["variablesReference"])
    assert inside["count"]["evaluateName"] == "pair.count"
    shared = client.variables(scopes["Shared"]["variablesReference"])["tile"]
    assert (shared["type"], shared["indexedVariables"]) == ("float[5][8]", 5)
    row = client.variables(shared["variablesReference"], start=4, count=1)["[4]"]
    assert client.variables(row["variablesReference"], start=3, count=2)["[3]"]["value"] == "690"
    parameters = client.variables(scopes["Parameters"]["variablesReference"])
    assert parameters["C"]["value"] == "0x900000000000 (C[0])"
    launch = client.variables(scopes["Launch"]["variablesReference"])
    assert launch["blockIdx"]["value"] == "{x=2, y=0, z=0}"
    assert client.ask("evaluate", expression="a[i - 1] * 2", frameId=frame["id"])["result"] == "228"
    words = client.ask("completions", text="blo", column=4, frameId=frame["id"])["targets"]
    assert [each["label"] for each in words] == ["blockIdx", "blockDim"]


def test_data_breakpoints_on_arrays_and_shared_memory(client: Client) -> None:
    client.ask("setExceptionBreakpoints", filters=[])
    wanted = []
    for name in ("C[83]", "tile[4][1]"):
        info = client.ask("dataBreakpointInfo", name=name)
        assert info["description"] == name and "write" in info["accessTypes"]
        wanted.append({"dataId": info["dataId"], "accessType": "write"})
    told = client.ask("setDataBreakpoints", breakpoints=wanted)
    assert [each["verified"] for each in told["breakpoints"]] == [True, True]
    stop = stopped(client, "configurationDone")
    assert (stop["reason"], stop["threadId"]) == ("data breakpoint", 34)
    assert stop["text"].endswith("writes tile[4][1] in line 15")
    assert stopped(client, "continue", threadId=34)["threadId"] == 4
    frame = client.stack(4)[0]["id"]
    scope = client.ask("scopes", frameId=frame)["scopes"][0]["variablesReference"]
    assert client.ask("dataBreakpointInfo", variablesReference=scope, name="sum")["accessTypes"] == ["write"]
    assert client.ask("dataBreakpointInfo", name="1 + 1")["dataId"] is None


def test_hit_counts_logpoints_and_function_breakpoints(client: Client, file: Path) -> None:
    client.ask("setExceptionBreakpoints", filters=[])
    client.ask(
        "setBreakpoints",
        source={"path": str(file)},
        breakpoints=[{"line": 13, "hitCondition": "== 4"}, {"line": 10, "logMessage": "i={i}"}],
    )
    assert stopped(client, "configurationDone")["threadId"] == 33
    logged = [event["body"]["output"] for event in client.events if event["event"] == "output"]
    assert "block (2,0,0) thread (39,0,0): i=119\n" in logged
    told = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "scaled"}, {"name": "nobody"}])
    assert [each["verified"] for each in told["breakpoints"]] == [True, False]
    assert stopped(client, "continue", threadId=1)["hitBreakpointIds"] == [3]


def test_breakpoints_that_can_not_be_say_why(client: Client, file: Path) -> None:
    told = client.ask(
        "setBreakpoints",
        source={"path": str(file)},
        breakpoints=[
            {"line": 4},
            {"line": 12, "condition": "k =="},
            {"line": 12, "hitCondition": "often"},
            {"line": 14},
        ],
    )["breakpoints"]
    assert [each["verified"] for each in told] == [False, False, False, True]
    assert "no recorded thread reaches" in told[0]["message"]
    assert "not an expression" in told[1]["message"] and "count of hits" in told[2]["message"]
    assert told[3]["line"] == 15
    other = client.ask("setBreakpoints", source={"path": "/nowhere/other.cu"}, breakpoints=[{"line": 3}])
    assert other["breakpoints"][0]["verified"] is False
    lines = client.ask("breakpointLocations", source={"path": str(file)}, line=1, endLine=12)["breakpoints"]
    assert [each["line"] for each in lines] == [1, 2, 8, 10, 11, 12]


def test_at_the_end_one_can_go_back_and_continuing_ends_the_session(client: Client) -> None:
    client.ask("setExceptionBreakpoints", filters=[])
    stop = stopped(client, "configurationDone")
    assert (stop["reason"], stop["text"]) == ("pause", "the block has ended")
    assert stopped(client, "reverseContinue", threadId=1)["text"] == "the recording begins here"
    stopped(client, "continue", threadId=1)
    client.ask("continue", threadId=1)
    client.event("terminated")
    assert not client.request("next", threadId=1)["success"]
    client.ask("restart")
    client.event("stopped")
    client.ask("terminate")
    client.event("terminated")
    client.ask("disconnect")


def test_a_restart_records_again_and_keeps_breakpoints(file: Path) -> None:
    loops = iter([3, 2, 0])
    with session(lambda launch, say: made_trace(next(loops))) as client:
        client.launched(problem="scaling", file=str(file), stopOnEntry=True)
        client.ask("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": 12}])
        assert stopped(client, "configurationDone")["reason"] == "entry"
        client.ask("restart")
        assert client.event("stopped")["reason"] == "entry"
        stopped(client, "continue", threadId=1)
        assert client.stack(1)[0]["line"] == 12
        client.ask("restart")
        assert client.event("breakpoint")["breakpoint"]["verified"] is False


def test_lines_from_0_for_clients_that_count_so(file: Path) -> None:
    with session(record) as client:
        client.ask("initialize", adapterID="kgrade", linesStartAt1=False, columnsStartAt1=False)
        client.ask("launch", problem="scaling", file=str(file))
        told = client.ask("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": 11}])
        assert told["breakpoints"][0]["line"] == 11
        stopped(client, "configurationDone")
        assert client.stack(1)[0]["line"] == 11


def test_a_submission_without_a_file_is_shown_by_its_text() -> None:
    with session(record, Launch("scaling", submission=3)) as client:
        client.launched()
        stopped(client, "configurationDone")
        source = client.stack(1)[0]["source"]
        assert source == {"name": "scale.cu", "sourceReference": 1}
        assert client.ask("source", sourceReference=1, source=source)["content"] == SOURCE
        assert client.ask("loadedSources")["sources"] == [source]


def test_commands_of_the_terminal_in_the_editor_s_console(client: Client) -> None:
    stopped(client, "configurationDone")
    assert "waits at a barrier" in client.ask("evaluate", expression=":lanes", context="repl")["result"]
    client.ask("evaluate", expression=":goto 3", context="repl")
    assert client.event("stopped")["reason"] == "step"
    refused = client.request("evaluate", expression=":stp", context="repl")
    assert "did you mean step?" in refused["message"]
    assert refused["body"]["error"]["showUser"] is False, "a word under the mouse is no message box"


def test_a_launch_that_fails_says_why_and_what_to_type(file: Path) -> None:
    def fail(launch: Launch, say: Callable[[str], None]) -> Trace:
        raise SourceError("scale.cu is no CUDA source", "name a .cu")

    with session(fail) as client:
        client.ask("initialize", adapterID="kgrade")
        assert "needs file" in client.request("launch", problem="scaling")["message"]
        assert (
            client.request("launch", problem="scaling", file="x")["message"] == "scale.cu is no CUDA source\nname a .cu"
        )
        assert not client.request("configurationDone")["success"]


REQUESTS = (
    *("initialize", "launch", "attach", "configurationDone", "restart", "setBreakpoints", "setFunctionBreakpoints"),
    *("setDataBreakpoints", "setExceptionBreakpoints", "dataBreakpointInfo", "breakpointLocations", "next", "stepIn"),
    *("stepOut", "stepBack", "continue", "reverseContinue", "pause", "kgrade/focus", "threads", "stackTrace", "scopes"),
    *("variables", "evaluate", "completions", "exceptionInfo", "source", "loadedSources"),
)
NAMES = (
    *("source", "breakpoints", "filters", "threadId", "frameId", "variablesReference", "name", "dataId", "expression"),
    *("text", "column", "line", "endLine", "start", "count", "startFrame", "levels", "block", "warp", "lane", "focus"),
    *("problem", "file", "case", "seed", "submission", "stopOnEntry", "context"),
)


@pytest.mark.parametrize("value", [None, True, -1, 2**40, 1.5, "x", "\0", "9" * 5000, [], [1], [{}], {}, {"line": -3}])
def test_arguments_of_any_kind_are_answered(client: Client, value: Any) -> None:
    for command in REQUESTS:
        if command in ("launch", "attach") and value is None:
            continue
        answer = client.request(command, **dict.fromkeys(NAMES, value))
        assert answer["success"] or "has failed" not in answer["message"], answer
    assert client.request("nobody")["success"] is False


def answers_to(data: bytes) -> list[dict[str, Any]]:
    """What a session writes that reads these bytes."""
    written = io.BytesIO()
    Session(io.BytesIO(data), written, record).serve()
    written.seek(0)
    found = []
    while (message := read_message(written)) is not None:
        found.append(message)
    return found


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b'POST / HTTP/1.1\r\nContent-Length: 49\r\n\r\n{"seq":1,"type":"request","command":"initialize"}',
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Length: 5000000\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: 10\r\n\r\n{}",
        b"x" * 100_000,
        b"X: y\r\n" * 10_000,
        b"Content-Length: 2\r\n",
        b"\r\n\r\n",
        "Content-Length: ٣\r\n\r\n{}".encode(),
    ],
)
def test_after_a_broken_header_the_connection_ends_with_words(data: bytes) -> None:
    (event,) = answers_to(data)
    assert event["event"] == "output" and "the connection ends" in event["body"]["output"]


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", b"[1]", b"3", b"\xff\xfe", b'{"a":NaN}', b"[" * 100_000, b'{"a":' * 50_000, b"9" * 100_000],
)
def test_after_a_broken_body_the_next_message_is_read(body: bytes) -> None:
    good = json.dumps({"seq": 7, "type": "request", "command": "initialize"}).encode()
    first, second = answers_to(framed(body) + framed(good))
    assert first["event"] == "output" and second["request_seq"] == 7 and second["success"]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "request", "command": "threads"},
        {"seq": "1", "type": "request", "command": "threads"},
        {"seq": 1, "type": "request", "command": ["threads"]},
        {"seq": 1, "type": "request", "command": "x" * 100_000},
        {"seq": 1, "type": "request", "command": "threads", "arguments": 3},
        {"seq": 1, "type": "request", "command": "threads", "arguments": {"deep": [[[]]]}},
        {"seq": 1, "type": "response"},
        {"seq": 1},
        {},
    ],
)
def test_messages_that_make_no_sense_do_no_harm(message: dict[str, Any]) -> None:
    good = {"seq": 7, "type": "request", "command": "initialize"}
    answers = answers_to(framed(json.dumps(message).encode()) + framed(json.dumps(good).encode()))
    assert answers[-1]["request_seq"] == 7
    assert all(not each.get("success", False) for each in answers[:-1])
