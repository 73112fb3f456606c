"""Moving through a Trace: lines, calls, breakpoints, data, forward and back."""

from __future__ import annotations

import pytest

from grader.debug.breakpoints import READ, WRITE
from grader.debug.code_lines import line_to_break
from grader.debug.debugger import BREAKPOINT, DATA_BREAKPOINT, END, EXCEPTION, STEP, Debugger
from grader.debug.expressions import parse_place
from grader.debug.restart import restarted
from grader.debug.shown import text_of_value
from grader.debug.threads import Focus, find_thread, parse_index
from grader.debug.values import EvaluationError

from .made import made_trace


@pytest.fixture
def debugger() -> Debugger:
    return Debugger(made_trace(), step=0)


def line(debugger: Debugger) -> int:
    """The line that the thread stands at."""
    return debugger.stack(debugger.thread)[0].line


def shown(debugger: Debugger, expression: str) -> str:
    return text_of_value(debugger.scope(), parse_place(expression)(debugger.scope()))


def test_a_thread_goes_line_by_line_into_functions_and_back(debugger: Debugger) -> None:
    ahead = []
    for _ in range(7):
        assert debugger.step_in().reason == STEP
        ahead.append(line(debugger))
    assert ahead == [10, 11, 12, 1, 2, 13, 11], "the rest of line 12 after the call is no line of its own"
    back = []
    for _ in range(5):
        assert debugger.step_back().reason == STEP
        back.append(line(debugger))
    assert back == [13, 12, 11, 10, 8], "back over the call, as forward over it"
    assert debugger.step_back().reason == END


def test_over_and_out_of_a_call(debugger: Debugger) -> None:
    while line(debugger) != 12:
        debugger.step_over()
    debugger.step_over()
    assert line(debugger) == 13
    debugger.step_back()
    debugger.step_in()
    debugger.step_in()
    frames = [(debugger.trace.functions[frame.function].name, frame.line) for frame in debugger.stack(0)]
    assert frames == [("scaled", 2), ("scale", 12)]
    debugger.step_out()
    assert line(debugger) == 12, "in the middle of the line that called"
    debugger.step_back()
    assert shown(debugger, "sum") == "0", "at its begin again"


def test_the_first_step_of_a_function_goes_back_to_its_call(debugger: Debugger) -> None:
    while line(debugger) != 1:
        debugger.step_in()
    assert debugger.step_back().reason == STEP
    assert line(debugger) == 12


def test_values_are_those_before_the_line(debugger: Debugger) -> None:
    debugger.thread = 3
    while line(debugger) != 13:
        debugger.step_over()
    assert (shown(debugger, "i"), shown(debugger, "sum"), shown(debugger, "pair.count")) == (
        "83",
        "166",
        "no value yet",
    )
    debugger.step_over()
    assert shown(debugger, "pair.count") == "1"
    debugger.step_back()
    assert shown(debugger, "pair.count") == "no value yet"


def test_a_breakpoint_stops_each_warp_and_a_condition_chooses_threads(debugger: Debugger) -> None:
    debugger.break_at(0, 13, "k == 1 && threadIdx.x == 34")
    stop = debugger.run()
    assert (stop.reason, stop.hit, debugger.thread) == (BREAKPOINT, (1,), 34)
    assert shown(debugger, "k") == "1"
    assert debugger.run().reason == EXCEPTION


def test_every_warp_hits_every_turn_of_a_loop_forward_as_backward(debugger: Debugger) -> None:
    debugger.filters = ()
    debugger.break_at(0, 12)
    ahead = []
    while (stop := debugger.run()).reason == BREAKPOINT:
        ahead.append(debugger.step)
    assert stop.reason == END and len(ahead) == 6
    back = []
    while (stop := debugger.run_back()).reason == BREAKPOINT:
        back.append(debugger.step)
    assert back == ahead[::-1] and debugger.step == 0


@pytest.mark.parametrize(("count", "hits"), [("2", [2]), (">= 5", [5, 6]), ("% 3", [3, 6]), ("== 7", [])])
def test_counts_of_hits(debugger: Debugger, count: str, hits: list[int]) -> None:
    debugger.filters = ()
    all_of_them = sorted(debugger.break_at(0, 12).threads)
    debugger.breakpoints.clear()
    debugger.break_at(0, 12, count=count)
    found = []
    while debugger.run().reason == BREAKPOINT:
        found.append(all_of_them.index(debugger.step) + 1)
    assert found == hits


def test_a_logpoint_prints_for_each_thread_and_does_not_stop() -> None:
    lines: list[str] = []
    debugger = Debugger(made_trace(), lines.append)
    debugger.break_at(0, 13, "threadIdx.x % 32 == 3", log="k={k} sum={sum} {nobody}")
    assert debugger.run().reason == EXCEPTION
    assert len(lines) == 6
    assert lines[0] == "block (2,0,0) thread (3,0,0): k=0 sum=166 <there is no nobody here>"


def test_data_breakpoints_find_who_writes_and_who_reads(debugger: Debugger) -> None:
    debugger.filters = ()
    for name, access in (("C[83]", WRITE), ("a[84]", READ), ("tile[4][1]", WRITE)):
        value = parse_place(name)(debugger.scope())
        assert value.place is not None
        debugger.watch(value.place, value.type.size, name, access)
    stops = []
    while (stop := debugger.run()).reason == DATA_BREAKPOINT:
        stops.append(stop.words.partition(": ")[2])
    assert stops == [
        *["block (2,0,0) thread (4,0,0) reads a[84] in line 12"] * 3,
        "block (2,0,0) thread (33,0,0) writes tile[4][1] in line 15",
        "block (2,0,0) thread (3,0,0) writes C[83] in line 17",
    ]
    assert debugger.run_back().words.endswith("writes C[83] in line 17")


def test_a_fault_stops_and_says_what_is_wrong(debugger: Debugger) -> None:
    stop = debugger.run()
    assert (stop.reason, stop.words, debugger.thread) == (EXCEPTION, "C[115] is past the end of C", 35)
    assert line(debugger) == 17
    assert debugger.step_over().words == "C[115] is past the end of C", "the thread goes no further"
    debugger.filters = ()
    debugger.step = 0
    assert debugger.run().words == "the block has ended"


def test_the_focus_leaves_other_threads_alone(debugger: Debugger) -> None:
    debugger.break_at(0, 12)
    debugger.narrow(Focus(warp=1, lane=2))
    debugger.run()
    assert debugger.thread == 34
    with pytest.raises(EvaluationError, match="there is no block"):
        debugger.narrow(Focus(block=(9, 9, 9)))


def test_a_function_is_stopped_at_on_each_call(debugger: Debugger) -> None:
    debugger.filters = ()
    debugger.break_in("scaled")
    stops = 0
    while debugger.run().reason == BREAKPOINT:
        assert line(debugger) == 1
        stops += 1
    assert stops == 6
    with pytest.raises(EvaluationError, match="no recorded thread calls nobody; there are scale, scaled"):
        debugger.break_in("nobody")


@pytest.mark.parametrize(("asked", "found"), [(12, 12), (4, None), (14, 15), (1, 1), (9, None), (400, None), (0, None)])
def test_a_breakpoint_on_a_line_without_code_moves_down(asked: int, found: int | None) -> None:
    assert line_to_break(made_trace(), 0, asked) == found


def test_restarting_keeps_breakpoints_and_says_which_fit_no_more(debugger: Debugger) -> None:
    debugger.break_at(0, 13, "k == 2")
    debugger.break_in("scaled")
    value = parse_place("C[83]")(debugger.scope())
    assert value.place is not None
    debugger.watch(value.place, 4, "C[83]", WRITE)
    again, dropped = restarted(debugger, made_trace(loops=2))
    assert [one.number for one in dropped] == [] and len(again.breakpoints) == 3
    assert len(again.breakpoints[2].steps) == 4
    _, dropped = restarted(debugger, made_trace(loops=0))
    assert [one.words for one in dropped] == ["line 13", "scaled"]


def test_names_of_threads() -> None:
    trace = made_trace()
    assert find_thread(trace, parse_index(" (3, 0)"), parse_index("2")) == 3
    for index, block in (((40, 0, 0), None), ((0, 1, 0), None), ((0, 0, 0), (1, 0, 0))):
        with pytest.raises(EvaluationError, match=r"recorded are threads \(0,0,0\) to \(39,0,0\) of block \(2,0,0\)"):
            find_thread(trace, index, block)
    with pytest.raises(EvaluationError, match="expected is one such as"):
        parse_index("x,y")
