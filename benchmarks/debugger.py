"""Measures how long the debugger takes to answer in a recording as large as one can be.

    python benchmarks/debugger.py
    python benchmarks/debugger.py --threads 1024

The recording is made up: a block of 256 threads that runs a loop of two lines, 100,000 steps of its 8 warps, in each of
which all lanes write a variable (3.2 million writes). Each request goes through the protocol, and is asked three times;
the least processor time and the least wall time are printed. Stepping back 10,000 steps is to take 200 ms at most, with
all that an editor asks for at a stop: the stack, the scopes, the variables.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from grader.debug.framing import read_message, write_message
from grader.debug.launch import Launch
from grader.debug.session import Session
from grader.replay.model import (
    SPACES,
    VARIABLE,
    Accesses,
    Function,
    GlobalArray,
    SharedArray,
    SourceFile,
    Steps,
    Type,
    Variable,
    Waits,
)
from grader.replay.trace import Trace

STEPS, LANES = 100_000, 32
BACK, GOAL_MS = 10_000, 200.0
SOURCE = ("__global__ void sums(float* C) {", "  float sum = 0;", "  for (int k = 0;; k++)", "    sum += k;", "}")
K, SUM = range(2)


def made(warps: int) -> Trace:
    """The recording: warps in turn, lines 3 and 4 in turn."""
    step = np.arange(STEPS)
    warp, turn = step % warps, step // warps
    every = np.repeat(step, LANES)
    lane = np.tile(np.arange(LANES), STEPS)
    zeros, nothing = np.zeros(STEPS, np.int64), np.zeros(STEPS * LANES, np.int64)
    return Trace(
        problem="sums",
        kernel="sums",
        grid=(1, 1, 1),
        block_dim=(warps * LANES, 1, 1),
        block=(0, 0, 0),
        blocks=((0, 0, 0),),
        files=(SourceFile("sums.cu", SOURCE),),
        functions=(Function("sums", 0, 1, 5),),
        types=(Type("int", "scalar", 4, encoding="signed"), Type("float", "scalar", 4, encoding="float")),
        variables=(
            Variable("k", 0, 0, 0, 3, 2, 5, "local"),
            Variable("sum", 1, 0, 0, 2, 2, 5, "local"),
        ),
        shared=(SharedArray("tile", 1, 0, (16, 16)),),
        arrays=(GlobalArray("C", 1, (256,), "output", dict.fromkeys(range(256), 0)),),
        steps=Steps(warp, np.full(STEPS, 0xFFFFFFFF), zeros, 3 + turn % 2, zeros, zeros, zeros - 1),
        writes=Accesses(
            *(every, LANES * warp[every] + lane, nothing + SPACES.index(VARIABLE), turn[every] % 2),
            *(nothing, nothing + 4, np.repeat(turn // 2, LANES).astype(np.uint64), nothing - 1),
        ),
        waits=Waits(),
    )


class Client:
    """Sends requests, and returns the body of each answer."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader, self._writer = reader, writer

    def ask(self, command: str, **arguments: Any) -> Any:
        write_message(self._writer, {"seq": 1, "type": "request", "command": command, "arguments": arguments})
        return self._until("response")

    def stopped(self) -> int:
        """The thread that a stop is told of."""
        return int(self._until("event", "stopped")["threadId"])

    def _until(self, kind: str, event: str | None = None) -> Any:
        while (message := read_message(self._reader)) is not None:
            if message["type"] == kind and message.get("event") == event:
                assert message.get("success", True), message
                return message.get("body")
        raise EOFError


def look(client: Client, thread: int) -> None:
    """What an editor asks for at a stop."""
    frame = client.ask("stackTrace", threadId=thread)["stackFrames"][0]["id"]
    for scope in client.ask("scopes", frameId=frame)["scopes"]:
        client.ask("variables", variablesReference=scope["variablesReference"])


def measured(name: str, prepare: Callable[[], object], action: Callable[[], object]) -> float:
    """Prints and returns the least processor time of three, in milliseconds."""
    spent, passed = [], []
    for _ in range(3):
        prepare()
        processor, wall = time.process_time(), time.perf_counter()
        action()
        spent.append(1e3 * (time.process_time() - processor))
        passed.append(1e3 * (time.perf_counter() - wall))
    print(f"{name:62} {min(spent):8.1f} ms of processor {min(passed):8.1f} ms")
    return min(spent)


def measure(client: Client, back_by: int) -> float:
    client.ask("initialize", adapterID="kgrade")
    client.ask("launch", problem="sums", file="sums.cu")
    client.ask("configurationDone")
    client.stopped()

    def command(words: str) -> None:
        client.ask("evaluate", expression=f":{words}", context="repl")
        client.stopped()

    def to_end() -> None:
        command("goto 1")
        command(f"goto {STEPS}")
        client.ask("evaluate", expression=":thread 0", context="repl")

    def back() -> None:
        command(f"back {back_by}")
        look(client, 1)

    def back_once() -> None:
        client.ask("stepBack", threadId=1)
        look(client, client.stopped())

    def to_write() -> None:
        client.ask("reverseContinue", threadId=1)
        look(client, client.stopped())

    def with_breakpoint(condition: str) -> None:
        place = {"line": 4, "condition": condition}
        client.ask("setBreakpoints", source={"path": "sums.cu"}, breakpoints=[place])
        to_end()

    took = measured(f"back {back_by:,} steps of one thread, then a stop", to_end, back)
    measured("back one step, then a stop", to_end, back_once)
    measured("back to where k == 100 in thread 3", lambda: with_breakpoint("k == 100 && threadIdx.x == 3"), to_write)
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=256, help="of the block, a multiple of 32")
    warps = parser.parse_args().threads // LANES
    trace = made(warps)
    requests, answers = os.pipe(), os.pipe()
    with (
        os.fdopen(requests[0], "rb") as reader,
        os.fdopen(requests[1], "wb") as sent,
        os.fdopen(answers[0], "rb") as received,
        os.fdopen(answers[1], "wb") as writer,
    ):
        session = Session(reader, writer, lambda launch, say: trace, Launch("sums", "sums.cu"))
        server = threading.Thread(target=session.serve)
        server.start()
        try:
            took = measure(Client(received, sent), min(BACK, STEPS // warps - 1))
        finally:
            sent.close()
            server.join()
    return 0 if took <= GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main())
