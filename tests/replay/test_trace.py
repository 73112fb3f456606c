"""Traces made by hand: what they answer, and how they are packed."""

import gzip
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.core.errors import JudgeError
from grader.replay.columns import MOST, Reader
from grader.replay.model import (
    LANES,
    Accesses,
    Function,
    GlobalArray,
    Mark,
    Member,
    SharedArray,
    SourceFile,
    Steps,
    Type,
    Variable,
    Waits,
)
from grader.replay.packing import MAX_BYTES, pack, unpack
from grader.replay.trace import Trace

INT, FLOAT, PAIR, ROW = range(4)
TYPES = (
    Type("int", "scalar", 4, encoding="signed"),
    Type("float", "scalar", 4, encoding="float"),
    Type("Pair", "struct", 8, members=(Member("a", INT, 0), Member("b", FLOAT, 4))),
    Type("int[2]", "array", 8, element=INT, count=2),
)
X, P, N, INNER, ROW_OF = range(5)
VARIABLES = (
    Variable("x", INT, 0, 0, 2, 2, 8, "local"),
    Variable("p", PAIR, 0, 0, 2, 2, 8, "local"),
    Variable("N", INT, 0, 0, 1, 1, 8, "parameter", initial=5),
    Variable("x", INT, 0, 0, 4, 4, 5, "local"),
    Variable("row", ROW, 1, 0, 11, 11, 12, "local"),
)
ONE = 0x3F800000


def columns(kind: type, names: str, rows: Sequence[tuple[int, ...]]) -> Any:
    """The columns of these rows, by name."""
    return kind(
        **{
            name: np.array([row[at] for row in rows], np.uint64 if name == "value" else np.int64)
            for at, name in enumerate(names.split())
        }
    )


@pytest.fixture
def trace() -> Trace:
    """Two warps of a block of 40 threads; the first calls a function in step 2, both meet at a barrier."""
    steps = [
        # warp, mask, file, line, function, depth, parent
        (0, 0xFFFFFFFF, 0, 2, 0, 0, -1),
        (1, 0xFF, 0, 2, 0, 0, -1),
        (0, 0x1, 0, 4, 0, 0, -1),
        (0, 0x1, 0, 11, 1, 1, 2),
        (0, 0x1, 0, 12, 1, 1, 2),
        (0, 0xFFFFFFFF, 0, 6, 0, 0, -1),
        (1, 0xFF, 0, 6, 0, 0, -1),
        (1, 0xFF, 0, 7, 0, 0, -1),
        (0, 0xFFFFFFFF, 0, 7, 0, 0, -1),
    ]
    writes = [
        # step, thread, space, target, offset, size, value
        *((0, lane, 0, X, 0, 4, 2**32 - lane if lane else 0) for lane in range(32)),
        *((1, 32 + lane, 0, X, 0, 4, 7) for lane in range(8)),
        (2, 0, 0, INNER, 0, 4, 9),
        (2, 0, 0, P, 4, 4, ONE),
        (3, 0, 0, ROW_OF, 4, 4, 3),
        (5, 0, 1, 0, 0, 4, ONE),
        (5, 1, 1, 0, 0, 4, 0),
        (7, 32, 2, 0, 8, 8, ONE << 32 | ONE),
    ]
    waits = [
        # step, warp, mask, kind, barrier
        (5, 0, 0xFFFFFFFF, 0, 0),
        (6, 1, 0xFF, 0, 0),
        (6, 0, 0xFFFFFFFF, 1, 0),
        (6, 1, 0xFF, 1, 0),
        (7, 1, 0xFF, 2, -1),
    ]
    accesses = "step thread space target offset size value"
    return Trace(
        problem="made_up",
        kernel="kernel",
        grid=(3, 1, 1),
        block_dim=(8, 5, 1),
        block=(2, 0, 0),
        blocks=((2, 0, 0),),
        sizes={"N": 5},
        scalars={"alpha": float("inf")},
        files=(SourceFile("made_up.cu", tuple(f"line {n}" for n in range(1, 14))),),
        functions=(Function("kernel", 0, 1, 8), Function("helper", 0, 10, 13)),
        types=TYPES,
        variables=VARIABLES,
        shared=(SharedArray("tile", FLOAT, 0, (4,)),),
        arrays=(GlobalArray("C", FLOAT, (5,), "output", {0: ONE, 4: 0}, {2: 1.0}),),
        marks=(Mark("fault", "out of bounds", 7, 32, array="C", index=2),),
        steps=columns(Steps, "warp mask file line function depth parent", steps),
        writes=columns(Accesses, accesses, writes),
        reads=columns(Accesses, accesses, [(8, 0, 2, 0, 8, 4, ONE)]),
        waits=columns(Waits, "step warp mask kind barrier", waits),
    )


def test_numbers_and_indices_of_threads(trace: Trace) -> None:
    assert len(trace) == 9
    assert trace.threads() == list(range(40))
    assert trace.thread_index(33) == (1, 4, 0)
    assert trace.thread_at((1, 4, 0)) == 33
    assert trace.block_index(33) == (2, 0, 0)


def test_threads_of_a_second_block_count_on_after_the_padding(trace: Trace) -> None:
    two = replace(trace, blocks=((0, 0, 0), (2, 0, 0)))
    assert two.threads() == [*range(40), *range(64, 104)]
    assert two.thread_at((1, 0, 0), (2, 0, 0)) == 65
    assert two.block_index(65) == (2, 0, 0)


def test_values_are_those_before_the_step(trace: Trace) -> None:
    assert trace.values_at(0, 3) == {N: 5, X: None, P: {"a": None, "b": None}}
    assert trace.values_at(5, 3) == {N: 5, X: -3, P: {"a": None, "b": None}}
    assert trace.value_of(N, 0, 3) == 5


def test_an_inner_variable_hides_an_outer_one(trace: Trace) -> None:
    assert trace.values_at(2, 0) == {N: 5, INNER: None, P: {"a": None, "b": None}}
    assert trace.values_at(5, 0) == {N: 5, X: 0, P: {"a": None, "b": 1.0}}


def test_a_stack_has_the_function_and_its_caller(trace: Trace) -> None:
    assert [(trace.functions[f.function].name, f.line) for f in trace.stack_at(4, 0)] == [("helper", 12), ("kernel", 4)]
    assert trace.values_at(4, 0) == {ROW_OF: [None, 3]}
    assert trace.values_at(4, 0, frame=1)[INNER] == 9
    assert trace.values_at(4, 0, frame=2) == {}


def test_states_of_threads(trace: Trace) -> None:
    assert trace.state_of(0, 3) == "at work"
    assert trace.state_of(1, 3) == "ready"
    assert trace.state_of(0, 6) == "waiting"
    assert trace.waits_at(0, 6) == 5
    assert trace.state_of(0, 7) == "ready"
    assert trace.state_of(32, 8) == "gone"
    assert trace.waits_at(32, 8) is None


def test_steps_of_a_thread(trace: Trace) -> None:
    assert trace.steps_of(0).tolist() == [0, 2, 3, 4, 5, 8]
    assert trace.next_step_of(1, 1) == 5
    assert trace.last_step_of(1, 5) == 0
    assert trace.next_step_of(32, 8) is None
    assert trace.last_step_of(0, 0) is None


def test_barriers(trace: Trace) -> None:
    assert trace.next_barrier(0) == 6
    assert trace.next_barrier(6) is None
    assert trace.previous_barrier(8) == 6
    assert trace.previous_barrier(6) is None


def test_the_last_writer_of_an_element(trace: Trace) -> None:
    write = trace.who_wrote("shared", 0, 2, 9)
    assert write is not None and (write.step, write.thread) == (5, 1)
    assert trace.who_wrote("shared", 0, 2, 5) is None
    assert trace.who_wrote("variable", X, 0, 9, thread=4) == trace.writes_of("variable", X, 0)[4]
    assert len(trace.writes_of("shared", 0, 0)) == 2
    assert [each.thread for each in trace.writes_in(7)] == [32]
    assert [each.offset for each in trace.reads_in(8)] == [8]


def test_shared_memory_has_its_last_writers(trace: Trace) -> None:
    image = trace.shared_at(6)[0]
    assert image.thread.tolist() == [1] * 4 + [-1] * 12
    assert image.known[:5].tolist() == [True] * 4 + [False]


def test_elements_of_a_global_array(trace: Trace) -> None:
    assert trace.elements_at(0, 7) == {0: ONE, 4: 0}
    assert trace.elements_at(0, 8) == {0: ONE, 2: ONE, 3: ONE, 4: 0}
    assert trace.elements_at(0, 8, [3]) == {3: ONE}


GROUPS = ("steps", "reads", "writes", "waits")


def assert_same(one: Trace, other: Trace) -> None:
    empty = {"steps": Steps(), "reads": Accesses(), "writes": Accesses(), "waits": Waits()}
    for group in GROUPS:
        columns = vars(getattr(other, group))
        for name, column in vars(getattr(one, group)).items():
            assert column.tolist() == columns[name].tolist() and column.dtype == columns[name].dtype
        one, other = (replace(each, **{group: empty[group]}) for each in (one, other))
    assert one.arrays == other.arrays
    assert repr(one) == repr(other)


def test_a_packed_trace_is_the_same(trace: Trace) -> None:
    assert_same(unpack(pack(trace)), trace)
    assert pack(trace) == pack(trace)


@pytest.mark.parametrize(("count", "width"), [(0xFFFFFFFF, 0), (MOST + 1, 0), (1, 9), (1, 1)])
def test_a_piece_that_says_more_than_it_has_is_refused_before_there_is_room_for_it(count: int, width: int) -> None:
    with pytest.raises(ValueError):
        Reader(struct.pack("<IB", count, width), 0).numbers()


def test_a_packed_trace_keeps_values_of_all_sizes() -> None:
    """Values that follow from earlier ones, and those that don't, in each space and of two blocks."""
    random = np.random.default_rng(7)
    count, steps = 3_000, 200
    sizes = random.choice([1, 2, 4, 8], count)
    values = random.integers(0, 1 << 63, count, np.uint64) * np.uint64(2) >> (64 - 8 * sizes).astype(np.uint64)
    values[random.random(count) < 0.7] = 3
    accesses = Accesses(
        np.sort(random.integers(0, steps, count)),
        *(random.integers(0, 96, count), random.integers(0, 3, count), random.integers(0, 2, count)),
        *(8 * random.integers(-1, 6, count), sizes, values, random.integers(-2, 3, count)),
    )
    half = {name: column[::2] for name, column in vars(accesses).items()}
    rest = {name: column[1::2] for name, column in vars(accesses).items()}
    one = np.zeros(steps, np.int64)
    made = Trace(
        *("problem", "kernel", (2, 1, 1), (40, 1, 1), (0, 0, 0), ((0, 0, 0), (1, 0, 0))),
        types=(Type("double", "scalar", 8, encoding="float"),),
        arrays=(
            GlobalArray("a", 0, (9,), "input", {1: 3, 3: 1 << 63, 4: 0}),
            GlobalArray("b", 0, (9,), "output", {}),
            GlobalArray("c", 0, (9,), "output", {0: 5}),
        ),
        steps=Steps(one, one + 0xFFFFFFFF, one, one + 4, one, one, one - 1),
        reads=Accesses(**half),
        writes=Accesses(**rest),
    )
    assert_same(unpack(pack(made)), made)


def test_what_follows_from_earlier_values_takes_little_room() -> None:
    """Elements at first, 4 bytes each, are read by many threads, who keep them in variables."""
    count, length, random = 40_000, 1_000, np.random.default_rng(7)
    elements = random.integers(0, 1 << 32, length, np.uint64)
    row, zeros = np.arange(count), np.zeros(count, np.int64)
    made = Trace(
        *("problem", "kernel", (1, 1, 1), (32, 1, 1), (0, 0, 0), ((0, 0, 0),)),
        types=(Type("float", "scalar", 4, encoding="float"),),
        variables=(Variable("x", 0, 0, 0, 1, 1, 9, "local"),),
        arrays=(GlobalArray("a", 0, (length,), "input", dict(enumerate(elements.tolist()))),),
        steps=Steps(*(np.zeros(count // LANES, np.int64) for _ in range(7))),
        reads=Accesses(
            *(row // LANES, row % LANES, zeros + 2, zeros, 4 * (row % length), zeros + 4, elements[row % length])
        ),
        writes=Accesses(*(row // LANES, row % LANES, zeros, zeros, zeros, zeros + 4, elements[row % length])),
    )
    assert len(pack(made)) < 4 * length + 3_000


@pytest.mark.parametrize("cut", [slice(0), slice(1, None), slice(-9)])
def test_what_is_no_packed_trace_is_refused(trace: Trace, cut: slice) -> None:
    with pytest.raises(JudgeError):
        unpack(pack(trace)[cut])


def test_what_is_packed_and_no_trace_is_refused(trace: Trace) -> None:
    whole = gzip.decompress(pack(trace))
    renamed = (whole.replace(old, new) for old, new in ((b'"kernel"', b'"engine"'), (b'"warp"', b'"weft"')))
    for other in (b"", b'{"a": 1}', whole[:-9], *renamed):
        with pytest.raises(JudgeError, match="no replay"):
            unpack(gzip.compress(other))
    with pytest.raises(JudgeError, match="at most"):
        unpack(gzip.compress(bytes(MAX_BYTES + 1)))
