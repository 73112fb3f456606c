"""Stepping back is never a step ahead: from a call, after a barrier, in lanes that part, at the first step of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.debug.debugger import END, Debugger
from grader.replay.model import Accesses, Steps, Waits
from grader.replay.trace import Trace

from .client import Client, session
from .made import SCALED, SOURCE, Maker, columns, made_trace

EVEN, ODD, ALL, REST = 0x5555_5555, 0xAAAA_AAAA, 0xFFFF_FFFF, 0xFF


def divergent() -> Trace:
    """Lanes of warp 0 part: even ones call a function, odd ones do not, and warp 1 has its turns in between."""
    make = Maker()
    make.step(0, ALL, 8)
    make.step(0, ALL, 10)
    call = make.step(0, EVEN, 12)
    make.step(1, REST, 8)
    make.step(0, EVEN, 1, SCALED, call)
    make.step(0, ODD, 13)
    make.step(0, EVEN, 2, SCALED, call)
    make.step(0, EVEN, 12)
    make.step(1, REST, 10)
    make.step(0, ODD, 15)
    make.step(0, EVEN, 15)
    make.step(0, ALL, 17)
    nothing = {"writes": Accesses(), "reads": Accesses(), "waits": Waits(), "marks": ()}
    return replace(made_trace(), steps=columns(Steps, make.steps), **nothing)


@pytest.mark.parametrize("make", [made_trace, divergent])
def test_from_any_step_of_any_thread_it_goes_back_or_stays(make: Callable[[], Trace]) -> None:
    trace = make()
    for thread in trace.threads():
        for step in range(len(trace) + 1):
            debugger = Debugger(trace, step=step, thread=thread)
            stood = trace.next_step_of(thread, step)
            stop = debugger.step_back()
            if stop.reason == END:
                assert debugger.step == step and stop.words.endswith("begins here")
                continue
            stands = trace.next_step_of(thread, debugger.step)
            assert debugger.step < step and stands is not None and (stood is None or stands < stood)


def back(client: Client, thread: int) -> list[tuple[str, int]]:
    """Asks for stepBack; the stack of the thread then."""
    client.ask("stepBack", threadId=thread)
    client.event("stopped")
    return [(frame["name"].split(" ")[0], frame["line"]) for frame in client.stack(thread)]


def begun(client: Client, file: Path) -> None:
    file.write_text(SOURCE)
    client.launched(problem="scaling", file=str(file), stopOnEntry=True)
    client.ask("configurationDone")
    client.event("stopped")


def to_line(client: Client, file: Path, line: int, condition: str) -> None:
    place = {"line": line, "condition": condition}
    client.ask("setBreakpoints", source={"path": str(file)}, breakpoints=[place])
    client.ask("continue", threadId=1)
    client.event("stopped")


def test_requests_of_a_client(tmp_path: Path) -> None:
    file = tmp_path / "scale.cu"
    with session(lambda launch, say: made_trace()) as client:
        begun(client, file)
        # The first step of all; thread 33 is of a warp that begins later.
        assert back(client, 1) == [("scale", 8)]
        assert back(client, 33) == [("scale", 8)]
        assert client.ask("evaluate", expression=":where", context="repl")["result"].startswith(
            "block (2,0,0) thread (32"
        )
        assert "step 1 of 46" in client.ask("evaluate", expression=":thread", context="repl")["result"]
        to_line(client, file, 1, "threadIdx.x == 3")
        assert [frame["line"] for frame in client.stack(4)] == [1, 12]
        assert back(client, 4) == [("scale", 12)]
        to_line(client, file, 17, "threadIdx.x == 3")
        assert back(client, 4) == [("scale", 16)]
        assert back(client, 4) == [("scale", 15)]
    with session(lambda launch, say: divergent()) as client:
        begun(client, file)
        to_line(client, file, 17, "threadIdx.x == 1")
        assert [back(client, 2)[0][1] for _ in range(4)] == [15, 13, 10, 8]
        to_line(client, file, 17, "threadIdx.x == 2")
        assert [back(client, 3)[0][1] for _ in range(4)] == [15, 12, 10, 8]
