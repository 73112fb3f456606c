"""The server of the Model Context Protocol: it declares the tools and gives each call its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from grader import __version__
from grader.commands.agents.tools import Progress, Tools
from grader.commands.agents.turns import Turns
from grader.core.crash import write_crash_log
from grader.core.errors import KgradeError
from grader.core.verdict import LanguageName

INSTRUCTIONS = (
    "kgrade grades CUDA kernels, in CUDA C++ or in Python (triton, cutile, cute, numba): it compiles a source text, "
    "runs it at sizes that hit every edge, compares each result with a reference, and says what is wrong in the words "
    "of the source line. Begin with list_problems and show; test grades a text, explain says why a right kernel is "
    "slow. Nothing is recorded."
)

ProblemName = Annotated[str, Field(description="The problem's name, as list_problems has it.", max_length=200)]
Source = Annotated[str, Field(description="The whole text of the file, in CUDA C++ or Python; at most 1 MiB.")]
Language = Annotated[LanguageName | None, Field(description="What it is written in; null: what the text shows.")]
Sizes = Annotated[
    dict[str, int] | None,
    Field(description="Sizes of one case, such as {'M': 17, 'N': 1, 'K': 3}, with every size of the problem."),
]
GpuName = Annotated[
    str | None,
    Field(description="Whose model time to tell, such as H200, A100, RTX 4090, L4 or T4; null: none.", max_length=100),
]
ModelSizes = Annotated[
    dict[str, int] | None,
    Field(description="Sizes of the model time, as large as is timed; null: `sizes`, else the first benchmark's."),
]


def make_server(tools: Tools, turns: Turns, user: str) -> MCPServer[Any]:
    """The server of these tools. Each call waits for its turn and is told what goes on by progress notifications."""
    server: MCPServer[Any] = MCPServer("kgrade", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")

    async def turn(context: Context[Any, Any], work: Callable[[Progress], dict[str, Any]]) -> dict[str, Any]:
        loop, told = asyncio.get_running_loop(), 0

        def progress(text: str) -> None:
            nonlocal told
            told += 1
            asyncio.run_coroutine_threadsafe(context.report_progress(told, message=text), loop)

        return await asyncio.wrap_future(turns.add(lambda: in_words(partial(work, progress))))

    @server.tool()
    async def list_problems(context: Context[Any, Any]) -> dict[str, Any]:
        """List the problems: name, title, difficulty, tags, and how far the user is with each."""
        return await turn(context, lambda _: tools.list_problems(user))

    @server.tool()
    async def show(
        context: Context[Any, Any], problem: ProblemName, language: LanguageName = LanguageName.CUDA
    ) -> dict[str, Any]:
        """Show a problem: its statement in Markdown, the ranges of its sizes, and a starter to fill in."""
        return await turn(context, lambda _: tools.show(problem, language))

    @server.tool()
    async def test(
        context: Context[Any, Any],
        problem: ProblemName,
        source: Source,
        language: Language = None,
        sizes: Sizes = None,
    ) -> dict[str, Any]:
        """Grade a source text for a problem: the verdict, the fault with its line, and each case. Nothing is recorded.

        The answer is what kgrade test --json prints. Without sizes a dozen are drawn.
        """
        return await turn(context, partial(tools.test, problem, source, language, sizes))

    @server.tool()
    async def explain(
        context: Context[Any, Any],
        problem: ProblemName,
        source: Source,
        language: Language = None,
        sizes: Sizes = None,
        sass: Annotated[bool, Field(description="Whether to tell the machine code by source line, too.")] = False,
        gpu: GpuName = "H200",
        model_sizes: ModelSizes = None,
    ) -> dict[str, Any]:
        """Say what each line of a kernel costs and what to change first, counted on an emulator.

        `model` is how long it would take on a GPU, computed and not measured; so is what advice gains. The answer is
        what kgrade explain --json prints; a kernel that doesn't run to its end gets the report of test.
        """
        work = partial(tools.explain, problem, source, language, sizes, sass, gpu, model_sizes)
        return await turn(context, work)

    return server


def in_words(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Does the work. Raises ToolError, in kgrade's own words, for whatever fails."""
    try:
        return work()
    except KgradeError as error:
        message, hint = error.message, error.hint
        if "Traceback" in hint:
            message, hint = write_crash_log(error, ["mcp"])
    except Exception as error:
        message, hint = write_crash_log(error, ["mcp"])
    raise ToolError(f"{message}\n{hint}" if hint else message)
