"""The debugger in a terminal: each command, what mistakes are answered, a script from a pipe."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from grader.core.errors import SourceError
from grader.debug.console import COMMANDS
from grader.debug.launch import Launch
from grader.debug.terminal import PROMPT, debug_in_terminal
from grader.replay.trace import Trace

from .made import made_trace


def record(launch: Launch, say: object) -> Trace:
    """Block (2,0,0), or block (0,0,0)."""
    if launch.block == (1, 0, 0):
        raise SourceError("scale.cu can be recorded once", "")
    block = launch.block or (2, 0, 0)
    return replace(made_trace(), block=block, blocks=(block,))


def typed(*commands: str) -> list[str]:
    """What is printed after the introduction."""
    printed: list[str] = []
    source = io.StringIO("".join(line + "\n" for line in commands))
    debug_in_terminal(record, Launch("scaling", "scale.cu"), source, printed.append)
    text = "\n".join(printed)
    return text[text.index(PROMPT) :].splitlines() if PROMPT in text else []


def answer(*commands: str) -> list[str]:
    """What the last of these commands prints."""
    lines = typed(*commands)
    at = max(number for number, line in enumerate(lines) if line.startswith(PROMPT))
    return lines[at + 1 :]


def test_the_introduction_names_the_fault_and_what_the_build_does_otherwise() -> None:
    printed: list[str] = []
    debug_in_terminal(lambda launch, say: made_trace(), Launch("scaling", "scale.cu"), io.StringIO(), printed.append)
    assert printed[0] == "scale of scaling, N=115: 46 steps of block (2,0,0)"
    assert "  This build has -G: without it the compiler may change the order of lines." in printed
    assert "fault: C[115] is past the end of C (step 46)" in printed


def test_a_script_finds_a_fault_and_goes_back_from_it() -> None:
    assert typed("continue", "back 2", "print sum", "who tile[4][3]", "quit", "print i") == [
        "(kgrade) continue",
        "C[115] is past the end of C",
        "block (2,0,0) thread (35,0,0), step 46 of 46",
        "   17      C[i] = sum;",
        "(kgrade) back 2",
        "block (2,0,0) thread (35,0,0), step 43 of 46",
        "   15      tile[threadIdx.x / 8][threadIdx.x % 8] = sum;",
        "(kgrade) print sum",
        "sum = 690 (float)",
        "(kgrade) who tile[4][3]",
        "nobody has written tile[4][3] before this step",
        "(kgrade) quit",
    ]


@pytest.mark.parametrize(
    ("commands", "printed"),
    [
        (("break 13 if k == 1", "continue"), "breakpoint 1, line 13: block (2,0,0) thread (0,0,0)"),
        (("break scaled", "continue"), "breakpoint 1, scaled: block (2,0,0) thread (0,0,0)"),
        (("watch C[83]", "continue"), "breakpoint 1: block (2,0,0) thread (3,0,0) writes C[83] in line 17"),
        (("rwatch a[84]", "continue"), "breakpoint 1: block (2,0,0) thread (4,0,0) reads a[84] in line 12"),
        (("log 13 k={k}", "focus lane 1", "continue"), "block (2,0,0) thread (1,0,0): k=0"),
        (("continue", "rcontinue"), "the recording begins here"),
        (("barrier",), "all threads of this barrier have arrived"),
        (("goto 4",), "block (2,0,0) thread (0,0,0), step 4 of 46"),
        (("thread 35",), "block (2,0,0) thread (35,0,0), step 1 of 46"),
        (("thread 3 block 2",), "block (2,0,0) thread (3,0,0), step 1 of 46"),
        (("focus warp 1",), "focus: warp 1"),
        (("focus warp 1", "focus all"), "focus: all threads"),
        (("break 13", "breakpoints"), "  1  line 13"),
        (("break 13", "delete 1", "breakpoints"), "  there are no breakpoints"),
        (("break 13", "delete 1"), "breakpoint 1 is gone"),
        (("break 14",), "no thread stops in line 14; the next one is line 15"),
        (("step 4", "bt"), "  1  scale at scale.cu:12"),
        (("help restart",), f"  {'restart':32} read the file again and record anew; breakpoints stay"),
        (("step 4", "where"), "  1  scale at scale.cu:12"),
        (("step 2", "locals"), "  sum = 0 (float)"),
        (("continue", "who a[100]"), "nobody has written a[100] before this step: it is 100 since before this launch"),
        (("step 2", "who i"), "block (2,0,0) thread (0,0,0) wrote i = 80 in line 8, step 1"),
        (("break 12", "list 12"), " *  12          sum += scaled(a[i]);"),
        (("continue", "print tile[4]"), "  [3] = 690"),
        (("continue", "print pair"), "  count = 3"),
        (("out",), "block (2,0,0) thread (0,0,0) has ended, after line 17"),
        (("restart",), "block (2,0,0) thread (0,0,0), step 1 of 46"),
    ],
)
def test_commands(commands: tuple[str, ...], printed: str) -> None:
    assert printed in answer(*commands)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("stp", "stp is no command; did you mean step? help lists all"),
        ("step often", "often is not how often; a number from 1 to 1,000,000 is expected"),
        ("step 0", "0 is not how often"),
        ("continue 3", "continue takes nothing after it; here is 3"),
        ("break", "a line or a function is expected"),
        ("break 4", "no recorded thread reaches line 4"),
        ("break 12 if k ==", "is not an expression of C++"),
        ("break nobody", "no recorded thread calls nobody"),
        ("watch 1 + 1", "does not lie in memory"),
        ("rwatch N", "reads of a thread's own variables are not recorded; type watch N"),
        ("log 12", "a line and a message are expected"),
        ("log 12 k={k", "a brace has no other one"),
        ("restart now", "restart takes nothing after it; here is now"),
        ("quit 1", "quit takes nothing after it"),
        ("print a[200]", "index 200 is outside of a, which has 115 elements"),
        ("print a[-1]", "index -1 is outside of a, which has 115 elements"),
        ("delete 9", "9 is no breakpoint; there are: none"),
        ("goto 99999", "a number from 1 to 46 is expected"),
        ("thread 3,1", "recorded are threads (0,0,0) to (39,0,0)"),
        ("thread x", "x is no index"),
        ("focus warp", "expected is such as focus warp 1"),
        ("focus warp 7", "no recorded thread is in warp 7"),
        ("focus block 7", "there is no block (7,0,0); the grid has (0,0,0) to (2,0,0)"),
        ("thread 3 block 1", "scale.cu can be recorded once"),
        ("print", "an expression is expected"),
        ("who 1", "does not lie in memory"),
        ("list 900", "there is no line 900; the file has 18"),
        ("help nobody", "nobody is no command"),
        ("print " + "x" * 5000, "a command has at most 4096 characters"),
        ("\0", "is no command"),
    ],
)
def test_mistakes_are_answered_and_passed_over(command: str, words: str) -> None:
    lines = typed("goto 1", command, "print N")
    assert any(line.startswith("! ") and words in line for line in lines)
    assert lines[-1] == "N = 115 (int)"


def test_a_block_that_was_not_recorded_is_entered() -> None:
    lines = typed(
        "break 12 if threadIdx.x == 3", "focus block 0 lane 3", "continue", "print blockIdx.x", "restart", "where"
    )
    assert "scale of scaling, N=115: 46 steps of block (0,0,0)" in lines
    assert "focus: block (0,0,0), lane 3" in lines
    assert "breakpoint 1, line 12: block (0,0,0) thread (3,0,0)" in lines
    assert "blockIdx.x = 0 (unsigned int)" in lines
    assert lines[-2] == "block (0,0,0) thread (3,0,0)"


def test_lanes_are_shown_as_a_strip_for_each_warp() -> None:
    lanes = answer("continue", "lanes")
    assert lanes[1] == f"  block (2,0,0) warp 0  {'.' * 32}  line 17"
    assert lanes[2] == f"  block (2,0,0) warp 1  {'#' * 8}{' ' * 24}  line 17"


def test_who_waits_is_shown_where_it_waits() -> None:
    # Warp 0 has come to the barrier of line 16, and would go on in line 17.
    printed = answer("break 16 if threadIdx.x == 32", "continue", "lanes")
    assert printed[1] == f"  block (2,0,0) warp 0  {'w' * 32}  line 16"
    assert printed[2] == f"  block (2,0,0) warp 1  {'#' * 8}{' ' * 24}  line 16"
    assert answer("break 16 if threadIdx.x == 32", "continue", "thread 1")[0].endswith(
        "waits at the barrier in line 16"
    )


def test_help_lists_each_command() -> None:
    helped = "\n".join(answer("help"))
    assert all(f"  {name}" in helped for name in (*COMMANDS, "restart", "quit"))


def test_a_restart_that_fails_leaves_the_session_as_it_was() -> None:
    calls = iter([made_trace()])
    printed: list[str] = []

    def record(launch: Launch, say: object) -> object:
        try:
            return next(calls)
        except StopIteration:
            raise SourceError("scale.cu can't be read", "save it") from None

    debug_in_terminal(record, Launch("scaling"), io.StringIO("restart\nprint N\n"), printed.append)  # type: ignore[arg-type]
    assert printed[-3:] == ["! scale.cu can't be read\n  save it", "(kgrade) print N", "N = 115 (int)"]
