"""Inputs of timed replays of every type and range, made here as the GPU makes them; on a GPU, compared with it."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from grader.machine.gpus import find_gpus
from grader.plan.poison import BITS, Poison
from grader.problem.coded import CODED
from grader.problem.definition import Problem
from grader.problem.gates import exact
from grader.problem.inputs import values_of
from grader.problem.parameters import DTYPES, DType, array, f16, f32, i8, i32, out, size, u8
from grader.problem.values import below, integers, uniform
from grader.run.emulator import Memory, Module
from grader.run.gpu.filling import POISONED, Filling, copied, unit_of
from grader.run.gpu.refill import SOURCE, make_values, replay_key
from grader.run.gpu.timed_inputs import filling_of, make_timed, structure_of
from tests.emulator.harness import compile_ptx

KEY = replay_key(5, "candidate", 2)
SIZES = {"N": 100_003, "M": 37}
FILLINGS = [
    Filling("normal"),
    Filling("normal", "float16"),
    Filling("even", "float32", -0.1, 0.3),
    Filling("even", "float16", 0.0, 1.0),
    Filling("whole", "int32", 0, 36),
    Filling("whole", "int32", -(2**31), 2**31 - 1),
    Filling("whole", "int8", -128, 127),
    Filling("whole", "uint8", 3, 250),
    Filling("normal", "float64"),
    Filling("even", "float64", -0.1, 0.3),
    Filling("whole", "int64", -5, 2**31),
    Filling("whole", "uint32", 0, 2**32 - 1),
    *(Filling("whole", f"float{bits}", -32, 31) for bits in (16, 32, 64)),
    *(Filling("whole", code.numpy, -8, 8, coded=name) for name, code in CODED.items()),
    *(Filling("normal", code.numpy, coded=name) for name, code in CODED.items()),
    *(Filling("even", code.numpy, -448.0, 448.0, coded=name) for name, code in CODED.items()),
]


@pytest.fixture
def problem() -> Problem:
    made = Problem(
        title="All",
        difficulty="easy",
        kernel="all_kernel",
        params=dict(
            values=array(f32, "N"),
            halves=array(f16, "N"),
            offsets=array(i32, "M+1"),
            columns=array(i32, "N", values=below("M")),
            signs=array(i8, "N", values=integers(-1, 1)),
            bytes=array(u8, "N"),
            shares=array(f32, "N", values=uniform(0.0, 1.0)),
            steps=array(f32, "N", values=integers(-32, 31)),
            output=out(f32, "N"),
            N=size(1, 1_000_000),
            M=size(1, 1000),
        ),
        gates=exact(),
    )

    @made.structure
    def structure(draw: Any, M: int) -> dict[str, Any]:
        return dict(offsets=np.sort(draw.integers(0, 100, M + 1)))

    return made


def test_every_array_holds_what_the_problem_says(problem: Problem) -> None:
    made = make_timed(problem, SIZES, KEY, 3, 2.0, 9)
    assert list(made) != [] and set(made) == set(problem.inputs)
    for name, array_ in problem.inputs.items():
        assert (made[name].dtype, made[name].shape) == (array_.dtype.numpy, array_.shape(SIZES)), name
        bounds = values_of(array_)
        if bounds is not None and name != "offsets":
            low, high = bounds.ends(SIZES)
            seen = made[name].astype(np.float64)
            assert low <= seen.min() < low + (high - low) / 50 and high - (high - low) / 50 < seen.max() <= high, name
    assert made["values"].std() == pytest.approx(2.0, rel=0.02)
    assert made["halves"].astype(np.float64).std() == pytest.approx(2.0, rel=0.02)
    assert set(np.unique(made["signs"])) == {-1, 0, 1}


def test_a_structure_is_a_buffer_sets_own_and_stays_over_its_replays(problem: Problem) -> None:
    assert filling_of(problem, "offsets", SIZES) is None
    first, again = (make_timed(problem, SIZES, key, 0, 1.0, 9) for key in (KEY, KEY + 1))
    assert np.array_equal(first["offsets"], again["offsets"])
    assert not np.array_equal(first["columns"], again["columns"])
    others = [structure_of(problem, SIZES, seed, place)["offsets"] for seed, place in ((9, 1), (10, 0))]
    assert not any(np.array_equal(first["offsets"], other) for other in others)


@pytest.mark.parametrize("filling", FILLINGS, ids=lambda f: f"{f.kind} {f.dtype} {f.low} {f.high}")
def test_values_use_their_range_and_nothing_else(filling: Filling) -> None:
    values = make_values(KEY, 4, 200_000, 1.0, filling)
    assert values.dtype == filling.dtype
    values = CODED[filling.coded].decode(values) if filling.coded else values
    if filling.kind == "normal":
        assert np.abs(values).max() <= 3.0
    else:
        assert filling.low <= values.min() and values.max() <= filling.high
        assert values.astype(np.float64).mean() == pytest.approx(
            (filling.low + filling.high) / 2, abs=(filling.high - filling.low) / 100
        )


def test_outputs_are_poisoned_whatever_they_hold_and_what_is_read_as_well_is_a_copy() -> None:
    assert {filling.of_output for filling in FILLINGS} == {POISONED}
    assert copied(4096).of_output == copied(4096)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_arrays_of_every_type_and_range_that_a_problem_may_declare_can_be_filled(dtype: DType) -> None:
    for values in (None, integers(0, 3), *(() if dtype.whole else (uniform(0.0, 1.0),))):
        declared = SimpleNamespace(structured=(), inputs={"values": array(dtype, "N", values=values)})
        filling = filling_of(cast(Problem, declared), "values", {"N": 7})
        assert filling is not None and len(filling.row) == 3, values


@pytest.mark.parametrize("filling", FILLINGS, ids=lambda f: f"{f.kind} {f.dtype} {f.low} {f.high}")
def test_the_device_code_makes_the_same_bits_on_the_emulator(filling: Filling) -> None:
    memory = Memory()
    made = memory.place("made", np.zeros(1003, filling.dtype))
    segments = memory.place("segments", np.array([(made, 1003, 14, *filling.row)], np.uint64))
    arguments = [struct.pack(code, value) for code, value in zip("QQfI", (segments, KEY, unit_of(3.0), 0), strict=True)]
    result = Module(compile_ptx(SOURCE)).launch("refill", (3, 1, 1), (256, 1, 1), arguments, memory)
    assert result.status == "done", result
    assert np.array_equal(memory.read("made"), make_values(KEY, 14, 1003, 3.0, filling))


@pytest.mark.gpu
@pytest.mark.skipif(not find_gpus(), reason="there is no NVIDIA GPU here; where there is one: make test-gpu")
@pytest.mark.parametrize("filling", FILLINGS, ids=lambda f: f"{f.kind} {f.dtype} {f.low} {f.high}")
@pytest.mark.parametrize("count", [1, 255, 100_003])
def test_the_gpu_makes_the_same_bits(filling: Filling, count: int) -> None:
    import cupy

    from grader.run.gpu.device_code import load_module
    from grader.run.gpu.refill import Refill, Span

    made = cupy.zeros(count, filling.dtype)
    # Bytes around the poisoned ones show that no more than they are written.
    output = cupy.zeros(count + 64, cupy.uint8)
    inputs = [[None, Span(made.data.ptr, count, filling)]]
    Refill(load_module(SOURCE), inputs, [[Span(output.data.ptr + 32, count, POISONED)]], first=6).enqueue(
        cupy.cuda.Stream.null, KEY, 3.0
    )
    cupy.cuda.Device().synchronize()
    assert np.array_equal(made.get(), make_values(KEY, 6 * 2 + 2, count, 3.0, filling))
    poison = np.frombuffer(BITS[Poison.NAN][4].to_bytes(4, "little") * (count // 4 + 1), np.uint8)[:count]
    assert np.array_equal(output.get(), np.concatenate([np.zeros(32, np.uint8), poison, np.zeros(32, np.uint8)]))
