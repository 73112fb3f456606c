"""`kgrade mcp`, spoken to by the SDK's own client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult

from grader.commands.agents.server import in_words
from grader.commands.agents.turns import Turns
from grader.core.errors import JudgeError, UsageError

from .conftest import Kgrade

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "problems" / "matmul" / "submissions"
RIGHT = (WORKED / "accepted" / "1_naive.cu").read_text()
WRONG = (WORKED / "runtime_error" / "missing_bounds_check.cu").read_text()
SMALL = {"M": 17, "N": 5, "K": 3}
ABSENT = "import sys; sys.modules['mcp'] = None; from grader.cli import run; sys.exit(run(['mcp']))"


def told(use: Callable[[Client], Awaitable[None]]) -> None:
    """Starts the server as an agent does, and lets `use` talk to it."""

    async def talk() -> None:
        environment = {name: os.environ[name] for name in ("KGRADE_CACHE", "XDG_DATA_HOME")}
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "grader", "mcp", "--device", "emulator"],
            env={**environment, "PYTHONPATH": str(ROOT)},
        )
        async with Client(stdio_client(server)) as client:
            await use(client)

    asyncio.run(talk())


def answer_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def test_an_agent_lists_shows_tests_and_explains(kgrade: Kgrade, workspace: Path) -> None:
    steps: list[str | None] = []

    async def step(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["list_problems", "show", "test", "explain"]
        assert all(tool.description for tool in tools.values())

        listed = answer_of(await client.call_tool("list_problems"))
        assert listed == kgrade("list", "--json").json
        shown = answer_of(await client.call_tool("show", {"problem": "matmul", "language": "triton"}))
        assert shown == kgrade("show", "matmul", "--language", "triton", "--json").json

        right, wrong = await asyncio.gather(
            client.call_tool("test", {"problem": "matmul", "source": RIGHT, "sizes": SMALL}, progress_callback=step),
            client.call_tool("test", {"problem": "matmul", "source": WRONG, "sizes": SMALL}),
        )
        schema = Draft202012Validator(kgrade("schema").json)
        for result, verdict in ((right, "accepted"), (wrong, "runtime_error")):
            report = answer_of(result)
            schema.validate(report)
            assert report["verdict"] == verdict
        assert answer_of(wrong)["line"] == 14

        small = {"problem": "matmul", "source": RIGHT, "sizes": SMALL}
        costs = answer_of(await client.call_tool("explain", {**small, "gpu": None}))
        assert costs["verdict"] == "accepted" and costs["kernels"][0]["lines"] and costs["model"] is None
        assert costs["kernels"][0]["machine_code"] is None
        larger = {"gpu": "l4", "sass": True, "model_sizes": {"M": 128, "N": 128, "K": 128}}
        timed = answer_of(await client.call_tool("explain", {**small, **larger}))
        assert timed["model"]["gpu"] == "L4" and timed["model"]["seconds"] > 0 and not timed["model"]["why_not"]
        assert timed["model"]["sizes"] == larger["model_sizes"] and timed["sizes"] == SMALL
        opcodes = {one["opcode"] for line in timed["kernels"][0]["machine_code"]["lines"] for one in line["code"]}
        assert "FFMA" in opcodes
        faulty = {"problem": "matmul", "source": WRONG, "sizes": SMALL}
        unexplained = answer_of(await client.call_tool("explain", faulty))
        assert unexplained["fault"] == "out_of_bounds"

    told(use)
    assert steps[0] == "compiling" and len(steps) > 1, steps
    assert list((workspace / "submissions").iterdir()) == []


def test_what_cannot_be_done_is_an_error_of_the_tool_and_no_crash(workspace: Path) -> None:
    async def use(client: Client) -> None:
        for tool, arguments, said in (
            ("test", {"problem": "matmull", "source": RIGHT}, "Did you mean 'matmul'?"),
            ("show", {"problem": "../../etc"}, "there is no problem"),
            ("test", {"problem": "matmul", "source": "x" * (1 << 20) + "x"}, "too large"),
            ("test", {"problem": "matmul", "source": " \n"}, "empty"),
            ("test", {"problem": "matmul", "source": "\0"}, "binary"),
            ("test", {"problem": "matmul", "source": RIGHT, "sizes": {"M": 1}}, "N"),
            ("test", {"problem": "matmul", "source": RIGHT, "language": "cobol"}, "language"),
            ("test", {"problem": "matmul"}, "source"),
            ("explain", {"problem": "", "source": RIGHT}, "there is no problem"),
            ("explain", {"problem": "matmul", "source": RIGHT, "gpu": "H900"}, "no figures of a GPU 'H900'"),
            ("explain", {"problem": "matmul", "source": RIGHT, "model_sizes": {"M": 1}}, "N"),
        ):
            result = await client.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in result.content)
            assert result.is_error and said in text and "Traceback" not in text, (tool, text)
        assert not (await client.call_tool("show", {"problem": "matmul"})).is_error

    told(use)


def test_without_the_package_it_says_what_to_type(workspace: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", ABSENT], capture_output=True, text=True, env=environment)
    assert done.returncode == 3 and done.stdout == ""
    assert done.stderr.splitlines() == ["kgrade: kgrade mcp needs the package mcp", "  type: pip install 'mcp>=2.3,<3'"]
    assert 'mcp = ["mcp>=2.3,<3"]' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UsageError("no such thing", "type: kgrade list"), "no such thing\ntype: kgrade list"),
        (JudgeError("the child: seven", "Traceback (most recent call last):"), "seven"),
        (ValueError("seven"), "seven"),
    ],
)
def test_a_failure_is_told_in_words(error: Exception, said: str, workspace: Path) -> None:
    def work() -> dict[str, Any]:
        raise error

    with pytest.raises(ToolError) as raised:
        in_words(work)
    assert said in str(raised.value) and "Traceback" not in str(raised.value)


def test_turns_are_taken_in_order_in_the_thread_that_runs_them() -> None:
    turns, done = Turns(), list[tuple[int, threading.Thread]]()
    first = turns.add(lambda: done.append((1, threading.current_thread())))
    cancelled = turns.add(lambda: done.append((2, threading.current_thread())))
    failed = turns.add(lambda: 1 // 0)
    last = turns.add(lambda: "end")
    assert cancelled.cancel()
    turns.end()
    turns.run()
    assert done == [(1, threading.main_thread())] and first.done()
    assert isinstance(failed.exception(), ZeroDivisionError) and last.result() == "end"


def test_an_interruption_ends_the_turns() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    turns = Turns()
    interrupted = turns.add(interrupt)
    with pytest.raises(KeyboardInterrupt):
        turns.run()
    assert isinstance(interrupted.exception(), KeyboardInterrupt)
