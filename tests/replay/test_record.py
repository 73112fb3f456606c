"""Blocks recorded on the emulator: lines, variables of every kind, calls, waits, memory, and the marks."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader.core.errors import UsageError
from grader.core.report import CaseResult, ElementError, FaultReport, OutputCheck
from grader.core.verdict import FaultClass, Verdict
from grader.languages.registry import language_of, make_submission
from grader.problem import load_problem
from grader.replay.decode import decode, scalar
from grader.replay.device import blocks_before
from grader.replay.marks import ELSEWHERE, ENDS
from grader.replay.model import Accesses
from grader.replay.packing import pack
from grader.replay.places import LOOKED_FOR, WRITTEN_NOWHERE
from grader.replay.record import BEYOND, BLOCK_ALONE, BLOCKS_BEFORE, CUT, FIRST_LAUNCH, LAST, TOO_LONG, Recorder
from grader.replay.steps import MOST_STEPS
from grader.replay.trace import Trace
from grader.sandbox import Sandbox

PROBLEMS = Path(__file__).parents[2] / "problems"
HEAD = "__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {\n"
INDEX = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


@dataclass
class Studio:
    """Records files; each gets a process of its own."""

    cache: Path

    def record(self, text: str, n: int = 5, problem: str = "zip", **case: Any) -> Trace:
        """The trace of a case of size N, which is a wrong answer if nothing else is said."""
        loaded = load_problem(PROBLEMS / problem)
        submission = make_submission("mine.cu", text.encode())
        block = case.pop("block", None)
        given = {"verdict": Verdict.WRONG_ANSWER, "sizes": {"N": n}, **case}
        result = CaseResult(family="normal", seed=3, **given)
        recorder = Recorder(loaded, submission, language_of(submission), self.cache, Sandbox.find())
        try:
            trace = recorder.record(result, block=block)
        finally:
            recorder.close()
        assert trace is not None
        return trace


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    yield Studio(tmp_path_factory.mktemp("cache"))


def values(trace: Trace, thread: int, line: int, frame: int = 0) -> dict[str, object]:
    """The variables of a thread by name, where it comes to a line last."""
    step = [step for step in trace.steps_of(thread).tolist() if trace.steps.line[step] == line][-1]
    return {trace.variables[at].name: value for at, value in trace.values_at(step, thread, frame).items()}


def fault(kind: FaultClass, message: str, line: int, **more: Any) -> FaultReport:
    block, thread = more.pop("block", (0, 0, 0)), more.pop("thread", (0, 0, 0))
    return FaultReport(kind, message, line=line, kernel="zip_kernel", block=block, thread=thread, **more)


KINDS = """struct Pair { float first; int rest[2]; };
__device__ float add(float x, float* y) {
    *y = x;
    return x + 1.0f;
}
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ float tile[2][4];
    float4 q = make_float4(1, 2, 3, 4);
    float row[3];
    Pair p;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    for (int j = 0; j < 3; j++) row[j] = 10 * i + j;
    p.first = add(row[1], &row[2]);
    p.rest[1] = i;
    tile[i / 4][i % 4] = p.first;
    output[i] = 0;
    atomicAdd(&output[0], 2.0f);
    __syncthreads();
    output[i] += q.y;
}
"""


def test_variables_of_every_kind_and_what_a_function_writes_for_its_caller(studio: Studio) -> None:
    trace = studio.record(KINDS)
    seen = values(trace, 1, 17)
    assert seen["q"] == {"x": 1.0, "y": 2.0, "z": 3.0, "w": 4.0}
    assert seen["row"] == [10.0, 11.0, 11.0]
    assert seen["p"] == {"first": 12.0, "rest": [None, 1]}
    assert (seen["i"], seen["N"]) == (1, 5)
    assert values(trace, 1, 11)["i"] is None
    inside = values(trace, 1, 4)
    assert inside["x"] == 11.0 and set(inside) == {"x", "y"}
    call = next(step for step in trace.steps_of(1).tolist() if trace.steps.depth[step] == 1)
    assert [(trace.functions[f.function].name, f.line) for f in trace.stack_at(call, 1)][1:] == [("zip_kernel", 14)]


def test_arguments_have_their_values_when_a_function_begins(studio: Studio) -> None:
    trace = studio.record(KINDS)
    begins = next(step for step in trace.steps_of(1).tolist() if trace.steps.depth[step] == 1)
    assert trace.steps.line[begins] == 2
    seen = {trace.variables[at].name: value for at, value in trace.values_at(begins, 1).items()}
    assert seen["x"] == 11.0 and seen["y"] is not None
    for columns in (trace.writes, trace.reads):
        assert (np.diff(columns.step) >= 0).all()


def test_an_argument_that_changes_has_its_first_value_until_then(studio: Studio) -> None:
    changed = "__device__ int next(int n) { n += 1;\n    return n;\n}\n"
    trace = studio.record(f"{changed}{HEAD}{INDEX}    output[i] = next(i);\n}}\n")
    begins = next(step for step in trace.steps_of(3).tolist() if trace.steps.depth[step] == 1)
    of_next = {trace.variables[at].name: value for at, value in trace.values_at(begins, 3).items()}
    assert of_next == {"n": 3}


def test_shared_arrays_of_structs_and_vectors_have_their_members(studio: Studio) -> None:
    declared = "struct Pair {\n    float first;\n    int second;\n};\n"
    trace = studio.record(
        f"{declared}{HEAD}    __shared__ Pair pairs[8];\n    __shared__ float4 fours[2];\n{INDEX}"
        "    if (i >= N) return;\n    Pair own = {2.5f, i};\n    pairs[i] = own;\n"
        "    fours[i % 2] = make_float4(i, 1, 2, 3);\n    output[i] = i;\n}\n",
        n=1,
    )
    images = trace.shared_at(len(trace))
    shown = {
        array.name: decode(trace.types, array.type, images[number].data.tobytes(), images[number].known)
        for number, array in enumerate(trace.shared)
    }
    assert {array.name: array.shape for array in trace.shared} == {"pairs": (8,), "fours": (2,)}
    assert shown == {"pairs": {"first": 2.5, "second": 0}, "fours": {"x": 0.0, "y": 1.0, "z": 2.0, "w": 3.0}}


def test_memory_has_its_arrays_by_name_and_what_each_lane_left(studio: Studio) -> None:
    trace = studio.record(KINDS)
    assert [(each.name, each.shape) for each in trace.shared] == [("tile", (2, 4))]
    tile = trace.shared_at(len(trace))[0]
    assert tile.known.reshape(8, 4).all(axis=1).tolist() == [True] * 5 + [False] * 3
    assert tile.thread.reshape(8, 4)[:, 0].tolist() == [0, 1, 2, 3, 4, -1, -1, -1]
    (output,) = trace.arrays
    assert (output.name, output.role, output.shape, output.elements) == ("output", "output", (5,), {})
    adds = [write for write in trace.writes_of("global", 0, 0) if trace.steps.line[write.step] == 18]
    left = [(write.thread, scalar(trace.types[output.type], write.value)) for write in adds]
    assert left == [(0, 2.0), (1, 4.0), (2, 6.0), (3, 8.0), (4, 10.0)]
    assert trace.elements_at(0, len(trace))[1] == 0x40000000


def test_the_same_seed_gives_the_same_steps(studio: Studio) -> None:
    assert pack(studio.record(KINDS)) == pack(studio.record(KINDS))


RECURSION = f"""__device__ int count(int n) {{
    int own = 10 * n;
    int inner = n ? count(n - 1) : 0;
    return own + inner;
}}
{HEAD}{INDEX}    output[i] = count(2);
}}
"""


def test_each_call_of_a_recursive_function_has_its_own_variables(studio: Studio) -> None:
    trace = studio.record(RECURSION, n=1)
    deepest = max(trace.steps_of(0).tolist(), key=lambda step: int(trace.steps.depth[step]))
    levels = [trace.values_at(deepest, 0, frame) for frame in range(3)]
    named = [{trace.variables[at].name: value for at, value in level.items()} for level in levels]
    assert [level["n"] for level in named[1:]] == [1, 2]
    assert [level["own"] for level in named[1:]] == [10, 20]
    back = values(trace, 0, 4)
    assert (back["n"], back["own"], back["inner"]) == (2, 20, 10)


def test_lanes_of_a_warp_at_different_depths_have_steps_of_their_own(studio: Studio) -> None:
    trace = studio.record(RECURSION.replace("count(2)", "i < N ? count(i) : 0"), n=3)
    ends = [values(trace, thread, 4) for thread in range(3)]
    assert [(end["n"], end["own"], end["inner"]) for end in ends] == [(0, 0, 0), (1, 10, 0), (2, 20, 10)]
    for step in trace.steps_of(2).tolist():
        assert len(trace.stack_at(step, 2)) == trace.steps.depth[step] + 1


RACE = f"""#define BLOCK 64
{HEAD}    __shared__ float tile[64];
{INDEX}    tile[threadIdx.x] = i < N ? a[i] : 0;
    if (i < N) output[i] = tile[63 - threadIdx.x];
}}
"""


def test_a_race_has_both_accesses_and_no_barrier_between(studio: Studio) -> None:
    words = "data race in tile: write by thread (60, 0, 0) on line 5 and read by thread (3, 0, 0) on line 6 in no order"
    found = fault(FaultClass.DATA_RACE, words, 6, array="tile", index=60, thread=(3, 0, 0))
    trace = studio.record(RACE, verdict=Verdict.RUNTIME_ERROR, fault=found, line=6)
    mark = trace.marks[0]
    assert (mark.kind, mark.thread, mark.other_thread, mark.space) == ("race", 3, 60, "shared")
    assert [int(trace.steps.line[step]) for step in (mark.step, mark.other_step)] == [6, 5]
    assert mark.missing_at == max(mark.step, mark.other_step)
    assert trace.is_at_work(mark.step, 3) and trace.is_at_work(mark.other_step, 60)


def test_of_two_blocks_that_read_and_write_the_report_tells_which_did_what(studio: Studio) -> None:
    text = f"""{HEAD}{INDEX}    if (i >= N || threadIdx.x > 0) return;
    float before = output[0];
    output[0] = before + a[i];
}}
"""
    words = (
        "data race in output: read by thread (0, 0, 0) of block (1, 0, 0) on line 4 and "
        "write by thread (0, 0, 0) of block (0, 0, 0) on line 5 in no order"
    )
    found = fault(FaultClass.DATA_RACE, words, 5, array="output", index=0)
    trace = studio.record(text, n=257, verdict=Verdict.RUNTIME_ERROR, fault=found, line=5)
    mark = trace.marks[0]
    assert [trace.block_index(thread)[0] for thread in (mark.thread, mark.other_thread)] == [0, 1]
    assert [int(trace.steps.line[step]) for step in (mark.step, mark.other_step)] == [5, 4]


def test_a_race_is_found_among_the_reads_of_all_threads(studio: Studio) -> None:
    text = f"""#define BLOCK 1024
{HEAD}    __shared__ float tile[1024];
{INDEX}    for (int round = 0; round < 2; ++round) {{
        tile[threadIdx.x] = i < N ? a[i] : 0;
        __syncthreads();
        if (i < N) output[i] = tile[7];
    }}
}}
"""
    words = (
        "data race in tile: read by thread (900, 0, 0) on line 8 and write by thread (7, 0, 0) on line 6 in no order"
    )
    found = fault(FaultClass.DATA_RACE, words, 6, array="tile", index=7, thread=(7, 0, 0))
    trace = studio.record(text, n=1024, verdict=Verdict.RUNTIME_ERROR, fault=found, line=6)
    mark = trace.marks[0]
    # More threads read the element before than are looked at in pairs.
    assert (mark.kind, mark.thread, mark.other_thread) == ("race", 7, 900)
    assert [int(trace.steps.line[step]) for step in (mark.step, mark.other_step)] == [6, 8]


def test_a_race_that_comes_late_is_shown_in_the_build_that_was_graded(studio: Studio) -> None:
    text = f"""{HEAD}    __shared__ float tile[256];
{INDEX}    float sum = a[0];
    for (int round = 0; round < 2; ++round) {{
        tile[threadIdx.x] = sum;
        for (int k = 0; k < 1500; ++k) sum = sum * 0.5f + b[0];
        if (i < N) output[i] = tile[255 - threadIdx.x];
        __syncthreads();
    }}
}}
"""
    words = (
        "data race in tile: write by thread (200, 0, 0) on line 6 and read by thread (55, 0, 0) on line 8 in no order"
    )
    found = fault(FaultClass.DATA_RACE, words, 8, array="tile", index=200, thread=(55, 0, 0))
    trace = studio.record(text, n=256, verdict=Verdict.RUNTIME_ERROR, fault=found, line=8)
    assert (trace.build, trace.marks[0].kind) == ("graded", "race")
    assert TOO_LONG in trace.remarks and BEYOND not in trace.remarks


LATE_RACE = f"""{HEAD}    __shared__ float tile[256];
{INDEX}    volatile float sum = a[0];
    for (int k = 0; k < 3000; ++k) sum = sum * 0.5f + tile[k % 256];
    tile[threadIdx.x] = sum;
    if (i < N) output[i] = tile[255 - threadIdx.x];
}}
"""
LATE_WORDS = (
    "data race in tile: write by thread (200, 0, 0) on line 6 and read by thread (55, 0, 0) on line 7 in no order"
)


def test_a_race_at_the_end_of_a_long_block_is_among_its_last_steps(studio: Studio) -> None:
    found = fault(FaultClass.DATA_RACE, LATE_WORDS, 7, array="tile", index=200, thread=(55, 0, 0))
    trace = studio.record(LATE_RACE, n=256, verdict=Verdict.RUNTIME_ERROR, fault=found, line=7)
    mark = trace.marks[0]
    assert trace.build == "graded" and LAST in trace.remarks and CUT not in trace.remarks
    assert (mark.kind, mark.thread, mark.other_thread) == ("race", 55, 200)
    assert [int(trace.steps.line[step]) for step in (mark.step, mark.other_step)] == [7, 6]


def test_a_race_early_in_a_block_that_goes_on_is_in_the_graded_build(studio: Studio) -> None:
    text = f"""{HEAD}    __shared__ float tile[256];
{INDEX}    float sum = a[0];
    for (int k = 0; k < 1200; ++k) sum = sum * 0.5f + b[k % N];
    tile[threadIdx.x] = sum;
    if (i < N) output[i] = tile[255 - threadIdx.x];
    for (int k = 0; k < 9000; ++k) sum = sum * 0.5f + b[k % N];
    if (i < N) output[i] += sum;
}}
"""
    found = fault(FaultClass.DATA_RACE, LATE_WORDS, 7, array="tile", index=200, thread=(55, 0, 0))
    trace = studio.record(text, n=256, verdict=Verdict.RUNTIME_ERROR, fault=found, line=7)
    assert trace.build == "graded" and CUT in trace.remarks and LAST not in trace.remarks
    assert trace.marks[0].kind == "race"


def test_a_race_that_no_recording_reaches_is_said_to_come_later(studio: Studio) -> None:
    # As much comes after it as before.
    text = LATE_RACE.replace("    tile[threadIdx.x] = sum;\n", "    tile[threadIdx.x] = sum; float x = tile[0];\n")
    text = text.replace("    if (i <", "    for (int k = 0; k < 3000; ++k) sum = sum * 0.5f + b[k % N];\n    if (i <")
    text = text.replace("tile[255 - threadIdx.x]", "sum + x")
    words = LATE_WORDS.replace("(200, 0, 0) on line 6", "(0, 0, 0) on line 6").replace("line 7", "line 6")
    found = fault(FaultClass.DATA_RACE, words, 6, array="tile", index=0, thread=(55, 0, 0))
    trace = studio.record(text, n=256, verdict=Verdict.RUNTIME_ERROR, fault=found, line=6)
    assert trace.build == "debug" and BEYOND in trace.remarks


def test_of_a_long_block_that_fails_late_the_last_steps_are_kept(studio: Studio) -> None:
    text = f"""{HEAD}{INDEX}    if (i < N) output[i] = 1;
    float sum = 0;
    for (int k = 0; k < 20000; ++k) {{
        sum += b[k % 5] * 0.5f;
    }}
    if (i < N) output[i] += sum;
    if (i == N - 1) output[i + 1] = sum;
}}
"""
    found = fault(FaultClass.OUT_OF_BOUNDS, "write", 9, array="output", index=5, thread=(4, 0, 0))
    trace = studio.record(text, verdict=Verdict.RUNTIME_ERROR, fault=found, line=9)
    assert trace.build == "graded" and LAST in trace.remarks and len(trace) <= MOST_STEPS
    mark = trace.marks[0]
    assert (mark.kind, mark.thread, mark.index, int(trace.steps.line[mark.step])) == ("fault", 4, 5, 9)
    arrays = {array.name: number for number, array in enumerate(trace.arrays)}
    first, last = (trace.elements_at(arrays["output"], step, range(6)) for step in (0, len(trace)))
    # What the lost steps wrote is known by what was read, and nothing else is.
    assert first == dict.fromkeys(range(5), 0x3F800000) and last.keys() == first.keys() and last != first
    # An input has the values that it always had.
    assert trace.elements_at(arrays["b"], 0, range(5)).keys() == set(range(5))


def test_a_race_in_a_variable_of_the_file_has_both_accesses(studio: Studio) -> None:
    text = f"""#define BLOCK 64
__device__ int last[4];
{HEAD}{INDEX}    if (i < N) last[2] = i;
    if (i < N) output[i] = last[2];
}}
"""
    words = "data race in last: write by thread (4, 0, 0) on line 5 and read by thread (3, 0, 0) on line 6 in no order"
    found = fault(FaultClass.DATA_RACE, words, 6, array="last", index=2, thread=(3, 0, 0))
    trace = studio.record(text, verdict=Verdict.RUNTIME_ERROR, fault=found, line=6)
    mark = trace.marks[0]
    assert (mark.kind, mark.thread, mark.other_thread, mark.array, mark.index) == ("race", 3, 4, "last", 2)


def test_with_a_barrier_between_there_is_no_race_to_mark(studio: Studio) -> None:
    found = fault(FaultClass.DATA_RACE, "made up", 7, array="tile", index=60, thread=(3, 0, 0))
    text = RACE.replace("    if (i", "    __syncthreads();\n    if (i")
    trace = studio.record(text, verdict=Verdict.RUNTIME_ERROR, fault=found, line=7)
    assert [(mark.kind, int(trace.steps.line[mark.step])) for mark in trace.marks] == [("fault", 7)]
    barrier = trace.next_barrier(0)
    assert barrier is not None and trace.state_of(0, barrier) in ("waiting", "at work")
    assert trace.state_of(0, barrier + 1) in ("ready", "at work")


DEADLOCK = f"""#define BLOCK 64
{HEAD}{INDEX}    if (threadIdx.x < 32)
        asm volatile("bar.sync 0, 64;");
    else
        asm volatile("bar.sync 1, 64;");
    if (i < N) output[i] = 1;
}}
"""


def test_a_deadlock_shows_who_waits_where(studio: Studio) -> None:
    found = fault(FaultClass.DEADLOCK, "they wait for ever", 5)
    trace = studio.record(DEADLOCK, verdict=Verdict.RUNTIME_ERROR, fault=found, line=5)
    mark = trace.marks[0]
    assert (mark.kind, mark.thread, mark.other_thread) == ("deadlock", 0, 32)
    assert [int(trace.steps.line[step]) for step in (mark.step, mark.other_step)] == [5, 7]
    assert {trace.state_of(thread, len(trace)) for thread in trace.threads()} == {"waiting"}


OUTSIDE = f"""#define BLOCK 32
{HEAD}{INDEX}    float x = a[i];
    output[i] = x;
}}
"""


def test_a_fault_in_a_later_block_is_recorded_alone(studio: Studio) -> None:
    found = fault(FaultClass.OUT_OF_BOUNDS, "read", 4, array="a", index=40, block=(1, 0, 0), thread=(8, 0, 0))
    trace = studio.record(OUTSIDE, n=40, verdict=Verdict.RUNTIME_ERROR, fault=found, line=4)
    assert trace.block == (1, 0, 0) and BLOCK_ALONE in trace.remarks
    mark = trace.marks[0]
    assert (mark.kind, mark.thread, mark.index, int(trace.steps.line[mark.step])) == ("fault", 8, 40, 4)
    assert trace.state_of(8, mark.step + 1) == "gone" and trace.state_of(7, mark.step + 1) != "gone"
    # Lanes at fault have read nothing.
    assert {each.thread for each in trace.reads_in(mark.step)} == set(range(8))


def test_an_array_that_only_the_fault_touches_is_shown(studio: Studio) -> None:
    text = f"{HEAD}{INDEX}    if (i == 0) output[N + 1] = a[0];\n}}\n"
    found = fault(FaultClass.OUT_OF_BOUNDS, "made up", 3, array="output", index=6)
    trace = studio.record(text, verdict=Verdict.RUNTIME_ERROR, fault=found, line=3)
    assert [(array.name, array.shape) for array in trace.arrays] == [("a", (5,)), ("output", (5,))]
    assert (trace.marks[0].array, trace.marks[0].index) == ("output", 6)


def test_where_blocks_count_each_other_those_before_are_run(studio: Studio) -> None:
    text = OUTSIDE.replace("    float x", "    if (i == 0 || i == 32) atomicAdd(&output[0], 1.0f);\n    float x")
    found = fault(FaultClass.OUT_OF_BOUNDS, "read", 5, array="a", index=72, block=(2, 0, 0), thread=(8, 0, 0))
    trace = studio.record(text, n=72, verdict=Verdict.RUNTIME_ERROR, fault=found, line=5)
    assert BLOCKS_BEFORE in trace.remarks


def wrong(index: int, unwritten: bool = False) -> dict[str, Any]:
    element = ElementError((index,), expected=1.5, got=0.0, units=9.0, unwritten=unwritten)
    return {"outputs": (OutputCheck("output", (40,), 1, 40, 9.0, "G0", elements=(element,)),)}


def test_a_wrong_element_leads_to_its_writer(studio: Studio) -> None:
    text = OUTSIDE.replace("float x = a[i]", "if (i >= N) return;\n    float x = b[i]")
    trace = studio.record(text, n=40, **wrong(35))
    mark = trace.marks[0]
    assert trace.block == (1, 0, 0)
    assert (mark.kind, mark.thread, mark.array, mark.index) == ("first_wrong_write", 3, "output", 35)
    assert trace.arrays[1].expected == {35: 1.5}
    write = trace.who_wrote("global", 1, 4 * 35, len(trace))
    assert write is not None and write.step == mark.step
    assert "expected" in mark.words


def test_an_element_that_nobody_wrote_says_so(studio: Studio) -> None:
    text = OUTSIDE.replace("float x = a[i]", "if (i >= 36) return;\n    float x = b[i]")
    trace = studio.record(text, n=40, **wrong(38, unwritten=True))
    assert trace.block == (1, 0, 0) and WRITTEN_NOWHERE in trace.remarks
    mark = trace.marks[0]
    assert (mark.kind, mark.step, mark.array, mark.index) == ("first_wrong_write", -1, "output", 38)
    assert "wrote output[38]" in mark.words


def test_an_endless_loop_is_cut(studio: Studio) -> None:
    text = f"{HEAD}{INDEX}    for (int k = 0; k < N; k += 0) output[i % N] = k;\n}}\n"
    trace = studio.record(text, verdict=Verdict.TIME_LIMIT_EXCEEDED, line=3)
    assert trace.truncated and CUT in trace.remarks
    assert (trace.marks[0].kind, int(trace.steps.line[trace.marks[0].step])) == ("fault", 3)


def test_a_changed_input_leads_to_its_writer(studio: Studio) -> None:
    text = OUTSIDE.replace("float x = a[i]", "if (i >= N) return;\n    float x = ((float*)a)[i] = 2")
    words = "the kernel changed the input array a, first at a[33]; inputs are read only, results go to output"
    trace = studio.record(text, n=40, message=words)
    mark = trace.marks[0]
    assert (mark.kind, mark.array, mark.index, mark.thread) == ("first_wrong_write", "a", 33, 1)
    assert mark.words == words and trace.block == (1, 0, 0)


def test_a_fault_counts_elements_as_wide_as_its_access(studio: Studio) -> None:
    text = RACE.replace("float tile[64]", "float2 tile[64]").replace("= i < N ? a[i] : 0", "= make_float2(i, i)")
    text = text.replace("tile[63 - threadIdx.x]", "tile[63 - threadIdx.x].x")
    found = fault(FaultClass.DATA_RACE, "made up", 6, array="tile", index=60, extent=64, thread=(3, 0, 0))
    mark = studio.record(text, verdict=Verdict.RUNTIME_ERROR, fault=found, line=6).marks[0]
    assert (mark.kind, mark.thread, mark.other_thread, mark.index) == ("race", 3, 60, 60)


def test_a_block_that_does_not_fail_alone_is_recorded_after_the_others(studio: Studio) -> None:
    body = "if (i == 0) output[0] = 1e6f;\n    float x = blockIdx.x && i < N ? a[(int)output[0]] : 0;\n    if (i) "
    text = OUTSIDE.replace("float x = a[i];\n    ", body)
    found = fault(FaultClass.OUT_OF_BOUNDS, "read", 5, array="a", index=10**6, block=(1, 0, 0), thread=(0, 0, 0))
    trace = studio.record(text, n=40, verdict=Verdict.RUNTIME_ERROR, fault=found, line=5)
    assert BLOCKS_BEFORE in trace.remarks and BLOCK_ALONE not in trace.remarks
    assert (trace.marks[0].kind, trace.marks[0].thread, int(trace.steps.line[trace.marks[0].step])) == ("fault", 0, 5)


def test_a_loop_that_only_carries_a_variable_does_not_write_it(studio: Studio) -> None:
    text = f"""{HEAD}    float sum = 0;
    for (int row = 0; row < 2; row++) {{
        for (int k = 0; k < 2; k++) {{
            sum += a[k];
        }}
    }}
    output[0] = sum;
}}
"""
    trace = studio.record(text, n=2)
    number = next(n for n, variable in enumerate(trace.variables) if variable.name == "sum")
    writes = [write for write in trace.writes_of("variable", number, 0) if write.thread == 0]
    assert [int(trace.steps.line[write.step]) for write in writes] == [2, 5, 5, 5, 5]


MATRICES = """#include <mma.h>
using namespace nvcuda;
#define BLOCK 32
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ half tile[16][16], other[8];
    __shared__ float sums[256];
    __shared__ float copied[32][4];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) tile[i / 16][i % 16] = __float2half(i / 16 == i % 16 ? 2.0f : 0.0f);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(left, tile[0], 16);
    wmma::load_matrix_sync(right, tile[0], 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(tile[lane % 8]), word;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" ::"r"(word), "r"(row) : "memory");
    unsigned there = (unsigned)__cvta_generic_to_shared(copied[lane]);
    int n = lane % 17;
    const float* from = a + 4 * lane;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(from), "r"(n) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    if (lane < N) output[lane] = sums[lane * 17 % 256] + copied[lane][0];
}
"""


def bytes_by_line(trace: Trace, accesses: Accesses, array: str) -> dict[int, int]:
    """How many bytes of a shared or global array each line accesses."""
    names = {1: [each.name for each in trace.shared], 2: [each.name for each in trace.arrays]}
    found: dict[int, int] = {}
    for at in range(len(accesses.step)):
        space, target = int(accesses.space[at]), int(accesses.target[at])
        if space and names[space][target] == array:
            line = int(trace.steps.line[accesses.step[at]])
            found[line] = found.get(line, 0) + int(accesses.size[at])
    return found


def test_matrix_instructions_and_copies_access_memory_by_lanes(studio: Studio) -> None:
    trace = studio.record(MATRICES, n=256)
    shared = {each.name: number for number, each in enumerate(trace.shared)}
    assert trace.types[trace.shared[shared["tile"]].type].name == "half"
    assert bytes_by_line(trace, trace.reads, "tile") == {15: 512, 16: 512, 21: 128}
    assert bytes_by_line(trace, trace.writes, "tile") == {9: 512, 22: 128}
    assert bytes_by_line(trace, trace.writes, "sums") == {18: 1024}
    assert bytes_by_line(trace, trace.writes, "copied") == {26: 512}
    assert bytes_by_line(trace, trace.reads, "a") == {26: sum(lane % 17 for lane in range(32))}
    images = trace.shared_at(len(trace))
    sums = images[shared["sums"]]
    assert sums.data.view("<f4").reshape(16, 16).tolist() == (4 * np.eye(16) + 1).tolist()
    # As in an accumulator: lanes 4 i to 4 i + 3 have row i, two neighbours each.
    assert sums.thread.reshape(256, 4)[:8, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    copied = images[shared["copied"]]
    assert copied.known.all() and copied.thread.reshape(32, 16)[:, 0].tolist() == list(range(32))
    source = trace.elements_at(0, len(trace))
    words = copied.data.view("<u4").reshape(32, 4)
    assert [int(words[16, at]) for at in range(4)] == [source[4 * 16 + at] for at in range(4)]
    # A fragment is what its base class holds: rows of the diagonal matrix, twice.
    left = values(trace, 0, 17)["left"]
    assert isinstance(left, dict) and left["x"] == [2.0, *[0.0] * 5, 2.0, 0.0] * 2
    assert words[0].tolist() == [0] * 4 and int(words[6, 1]) == source[25] & 0xFFFF


def test_a_block_that_does_not_fail_can_be_recorded(studio: Studio) -> None:
    found = fault(FaultClass.OUT_OF_BOUNDS, "read", 4, array="a", index=40, block=(1, 0, 0), thread=(8, 0, 0))
    given: dict[str, Any] = {"n": 40, "verdict": Verdict.RUNTIME_ERROR, "fault": found, "line": 4}
    other = studio.record(OUTSIDE, block=(0, 0, 0), **given)
    assert other.blocks == ((0, 0, 0),) and other.marks == ()
    assert ELSEWHERE.format(block="1, 0, 0") in other.remarks
    same = studio.record(OUTSIDE, block=(1, 0, 0), **given)
    assert [mark.kind for mark in same.marks][:1] == ["fault"] and same.remarks[-1] == BLOCK_ALONE
    with pytest.raises(UsageError, match="no block 2,0,0: the grid of this launch has 2 x 1 x 1 blocks"):
        studio.record(OUTSIDE, block=(2, 0, 0), **given)


def test_a_wrong_element_of_many_blocks_is_found_without_the_writes_to_others(studio: Studio) -> None:
    text = OUTSIDE.replace("float x = a[i]", "if (i >= N) return;\n    float x = b[i]")
    # More writes to the array than a look at all of it keeps.
    trace = studio.record(text, n=3_000_000, **wrong(2_999_999))
    assert trace.block == (93_749, 0, 0) and LOOKED_FOR in trace.remarks
    assert (trace.marks[0].index, trace.marks[0].thread) == (2_999_999, 31)


READS_BACK = """#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* output, int* more, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= N) output[i] = a[min(i, N - 1)] + b[min(i, N - 1)];
    *more = 0;
}
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int left = 1;
    int* more;
    cudaMalloc(&more, sizeof(int));
    while (left) {
        add<<<(N + 32) / 32, 32>>>(a, b, output, more, N);
        cudaMemcpy(&left, more, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaFree(more);
}
"""


def test_a_fault_before_the_host_reads_is_shown(studio: Studio) -> None:
    found = fault(
        FaultClass.OUT_OF_BOUNDS,
        "write outside of output",
        4,
        array="output",
        index=70,
        block=(2, 0, 0),
        thread=(6, 0, 0),
    )
    trace = studio.record(READS_BACK, n=70, verdict=Verdict.RUNTIME_ERROR, fault=found, line=4)
    assert (trace.kernel, trace.marks[0].kind) == ("add", "fault")
    assert int(trace.steps.line[trace.marks[0].step]) == 4


ODD_SCRATCH = """#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* output, double* scratch, int N) {
    scratch[0] = a[0];
    output[0] = b[0] + (float)scratch[0] + N;
}
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    double* scratch;
    cudaMalloc(&scratch, 12);
    add<<<1, 1>>>(a, b, output, scratch, N);
    cudaFree(scratch);
}
"""


def test_scratch_that_ends_within_an_element_is_shown(studio: Studio) -> None:
    trace = studio.record(ODD_SCRATCH, n=1, **wrong(0))
    assert [array.shape for array in trace.arrays if array.role == "scratch"] == [(1,)]


ENDLESS_SOLVE = """#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    add<<<1, 32>>>(a, b, output, N);
    for (volatile int left = N; left > 0;) { }
}
"""


def test_of_a_solve_that_does_not_return_the_first_launch_is_shown(studio: Studio) -> None:
    trace = studio.record(ENDLESS_SOLVE, verdict=Verdict.TIME_LIMIT_EXCEEDED, line=8)
    assert FIRST_LAUNCH in trace.remarks and trace.kernel == "add"
    assert [(mark.words, mark.step) for mark in trace.marks] == [(ENDS, len(trace) - 1)]
    assert trace.state_of(0, len(trace)) == "gone"


STEERED_SOLVE = """#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* output, int* left, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] += 2 * a[i];
    if (i == 0) *left -= 1;
}
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int *left, rounds = 2;
    cudaMalloc(&left, sizeof(int));
    cudaMemcpy(left, &rounds, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(output, 0, N * sizeof(float));
    while (rounds) {
        add<<<(N + 31) / 32, 32>>>(a, b, output, left, N);
        cudaMemcpy(&rounds, left, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaFree(left);
}
"""


def test_launches_whose_results_decide_what_follows_are_recorded(studio: Studio) -> None:
    trace = studio.record(STEERED_SOLVE, n=40, **wrong(35))
    # The second one is what left the wrong value; the first had run from memory as it was at the begin.
    assert (trace.kernel, trace.block, trace.launch) == ("add", (1, 0, 0), 1)
    mark = trace.marks[0]
    assert (mark.kind, mark.thread, mark.array, mark.index) == ("first_wrong_write", 3, "output", 35)
    assert trace.steps.line[mark.step] == 4


@pytest.mark.parametrize(
    ("blocks", "turned", "before"),
    [
        ((3,), False, [range(3)]),
        ((0,), False, []),
        ((2, 4), True, []),
        ((4,), True, [range(2, 4)]),
        ((0,), True, [range(2, 5)]),
        ((1,), True, [range(2, 5), range(1)]),
    ],
)
def test_the_blocks_that_begin_before_one_run_before_it(
    blocks: tuple[int, ...], turned: bool, before: list[range]
) -> None:
    translation = SimpleNamespace(first_of=lambda count: count // 2 if turned else 0)
    assert blocks_before(blocks, 5, translation) == before  # type: ignore[arg-type]


def test_a_block_that_began_last_in_the_grading_finds_what_the_others_left(studio: Studio) -> None:
    text = f"""__device__ unsigned begun;
{HEAD}{INDEX}    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&begun, 1);
    __syncthreads();
    if (ticket == 3) {{
        output[i] = b[N + i];
    }}
    if (i < N) output[i] = a[i] + b[i];
}}
"""
    found = fault(FaultClass.OUT_OF_BOUNDS, "read", 7, array="b", index=1024, block=(1, 0, 0))
    trace = studio.record(text, n=1024, verdict=Verdict.RUNTIME_ERROR, fault=found, line=7)
    mark = trace.marks[0]
    assert trace.block == (1, 0, 0) and BLOCKS_BEFORE in trace.remarks
    assert (mark.kind, int(trace.steps.line[mark.step])) == ("fault", 7)
