"""numba's solve() files are recorded as they would run, and what they record is right on the emulator.

The driver changes numba for the whole process, so that all of it is in a process of its own.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.plan.python.played_judge import Call, Played, emulated, imported, play

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None,
    reason="numba-cuda is not installed: pip install 'kgrade[numba]'",
)
DRIVER = "grader.plan.python.numba.driver:NumbaDriver"
HEAD = "import math\nimport numpy as np\nfrom numba import cuda, float32, int32\n\n"
DOUBLE = """@cuda.jit
def double(x, output):
    i = cuda.grid(1)
    if i < x.size:
        output[i] = 2 * x[i]

"""
Plays = Callable[..., list[Played]]


@pytest.fixture(scope="module")
def process() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def plays(process: ProcessPoolExecutor, tmp_path: Path) -> Plays:
    def run(text: str, *calls: Call) -> list[Played]:
        file = tmp_path / "submission.py"
        file.write_text(HEAD + text, encoding="utf-8")
        return process.submit(play, DRIVER, file, calls).result(timeout=300)

    return run


def line_of(text: str, part: str) -> int:
    """The line of the file on which this part of the text is."""
    return next(number for number, line in enumerate((HEAD + text).splitlines(), 1) if part in line)


def values(n: int = 1000, **more: Any) -> Call:
    """A call of solve(x, output, N)."""
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    return Call({"x": x, "output": np.zeros(n, np.float32), "N": n}, **more)


def result(played: Played) -> Any:
    """The output of a call that had no fault."""
    assert (played.faults, played.refusal, played.error) == ((), None, None)
    return played.arrays["output"]


def test_kernels_scratch_and_device_functions(plays: Plays) -> None:
    text = """
@cuda.jit(device=True)
def logistic(x):
    return float32(1) / (float32(1) + math.exp(-x))

@cuda.jit
def apply(x, output, N):
    i = cuda.grid(1)
    if i < N:
        output[i] = logistic(x[i])

@cuda.jit("void(float32[::1], float32[::1])")
def double(x, output):
    i = cuda.grid(1)
    if i < x.size:
        output[i] = 2 * x[i]

def solve(x, output, N):
    scratch = cuda.device_array_like(x)
    apply[(N + 255) // 256, 256](x, scratch, N)
    double.forall(N)(scratch, output)
    cuda.synchronize()
"""
    for call, played in zip(calls := [values(1000), values(777)], plays(text, *calls), strict=True):
        x = call.arguments["x"]
        np.testing.assert_allclose(result(played), 2 / (1 + np.exp(-x)), rtol=1e-6)
        assert [one["name"] for one in played.kernels()] == ["apply", "double"]
        assert len(played.steps("launch")) == 2
        assert len(played.steps("free")) == 1
        assert [step["at"] for step in played.steps("launch")] == [
            [line_of(text, "apply[(N")],
            [line_of(text, "double.forall")],
        ]


def test_other_sizes_compile_nothing(plays: Plays) -> None:
    text = DOUBLE + "def solve(x, output, N):\n    double[(N + 63) // 64, 64](x, output)\n"
    first, second = plays(text, values(1000), values(77))
    assert (first.compiled, second.compiled) == (1, 0)
    assert first.kernels() == second.kernels()


def test_a_constant_that_changes_compiles_anew(plays: Plays) -> None:
    text = """
def made(scale):
    @cuda.jit
    def kernel(x, output):
        i = cuda.grid(1)
        if i < x.size:
            output[i] = scale * x[i]
    return kernel

def solve(x, output, N):
    made(float32(N))[(N + 63) // 64, 64](x, output)
"""
    calls = [values(100), values(100), values(99)]
    played = plays(text, *calls)
    assert [one.compiled for one in played] == [1, 0, 1]
    for call, one in zip(calls, played, strict=True):
        np.testing.assert_array_equal(result(one), call.arguments["x"] * np.float32(call.arguments["N"]))


def test_a_missing_bounds_check_is_told_at_its_line(plays: Plays) -> None:
    text = """
@cuda.jit
def double(x, output):
    i = cuda.grid(1)
    value = 2 * x[i]
    output[i] = value

def solve(x, output, N):
    double[(N + 255) // 256, 256](x, output)
"""
    (played,) = plays(text, values(1000))
    fault = played.faults[0]
    assert (fault.kind, fault.array, fault.index) == ("out_of_bounds", "x", 1000)
    assert fault.line == line_of(text, "2 * x[i]")


def test_a_fault_in_a_device_function_is_told_there(plays: Plays) -> None:
    text = """
@cuda.jit(device=True)
def next_one(x, i):
    return x[i + 1]

@cuda.jit
def shift(x, output):
    i = cuda.grid(1)
    if i < x.size:
        output[i] = next_one(x, i)

def solve(x, output, N):
    shift[(N + 255) // 256, 256](x, output)
"""
    (played,) = plays(text, values(1000))
    assert played.faults[0].line == line_of(text, "x[i + 1]")


def test_shared_memory_and_a_missing_barrier(plays: Plays) -> None:
    text = """
@cuda.jit
def reverse(x, output):
    shared = cuda.shared.array(128, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    shared[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    if i < x.size:
        output[i] = shared[127 - t]

def solve(x, output, N):
    reverse[(N + 127) // 128, 128](x, output)
"""
    call = values(256)
    good, bad = plays(text, call)[0], plays(text.replace("cuda.syncthreads()", "pass"), call)[0]
    np.testing.assert_array_equal(result(good), call.arguments["x"].reshape(2, 128)[:, ::-1].ravel())
    assert {fault.kind for fault in bad.faults} == {"data_race"}


def test_dynamic_shared_memory_on_a_stream(plays: Plays) -> None:
    text = """
@cuda.jit
def double(x, output):
    shared = cuda.shared.array(0, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    shared[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    if i < x.size:
        output[i] = 2 * shared[t]

def solve(x, output, N):
    stream = cuda.stream()
    double[(N + 63) // 64, 64, stream, 256](x, output)
    stream.synchronize()
"""
    call = values(100)
    (played,) = plays(text, call)
    np.testing.assert_array_equal(result(played), 2 * call.arguments["x"])
    (launch,) = played.steps("launch")
    assert launch["shared"] == 256
    assert launch["stream"] != 0
    assert [step["stream"] for step in played.steps("sync_stream")] == [launch["stream"]]


def test_views_are_those_of_numpy(plays: Plays) -> None:
    text = """
@cuda.jit
def add_one(x, output):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        output[i, j] = x[i, j] + 1

def solve(x, output, N):
    rows = x[1:].reshape(N // 10, 10)
    output[0] = 5
    add_one[(4, 1), (32, 16)](rows[:, ::2], output[1:].reshape(N // 10, 10)[:, ::2])
    add_one[(4, 1), (32, 16)](rows[:, 1::2], output[1:].reshape(N // 10, 10)[:, 1::2])
"""
    for call, played in zip(calls := [values(1001), values(771)], plays(text, *calls), strict=True):
        expected = call.arguments["x"] + 1
        expected[0] = 5
        np.testing.assert_array_equal(result(played), expected)


def test_constants_and_tables_of_the_host(plays: Plays) -> None:
    text = """
WEIGHTS = np.array([1, 2, 4], np.float32)

@cuda.jit
def weigh(x, table, output):
    i = cuda.grid(1)
    weights = cuda.const.array_like(WEIGHTS)
    if i < x.size:
        output[i] = x[i] * weights[i % 3] + table[i % 2]

def solve(x, output, N):
    table = cuda.to_device(np.array([10, 20], np.float32))
    assert table.copy_to_host()[1] == 20
    weigh[(N + 63) // 64, 64](x, table, output)
"""
    call = values(100)
    i = np.arange(100)
    expected = call.arguments["x"] * np.array([1, 2, 4], np.float32)[i % 3] + np.array([10, 20], np.float32)[i % 2]
    (played,) = plays(text, call)
    np.testing.assert_allclose(result(played), expected, rtol=1e-6)
    assert len(played.steps("upload")) == 1


def test_an_array_of_the_host_is_copied_there_and_back(plays: Plays) -> None:
    text = (
        DOUBLE
        + """
def solve(x, output, N):
    table = np.arange(4, dtype=np.float32)
    double[1, 4](table, table)
    assert list(table) == [0, 2, 4, 6], table
    output[:] = table[2]
"""
    )
    (played,) = plays(text, values(10))
    np.testing.assert_array_equal(result(played), np.full(10, 4, np.float32))


def test_scalars_of_each_type(plays: Plays) -> None:
    text = """
@cuda.jit
def add(output, a, b, c, d, e, flag):
    i = cuda.grid(1)
    if i < output.size and flag:
        output[i] = a + b + c + d[0] + d[1] + e.imag

def solve(x, output, N):
    add[1, 32](output, -3, np.int8(-2), 0.5, (1, np.float32(0.25)), 1 + 2j, True)
"""
    (played,) = plays(text, values(10))
    np.testing.assert_array_equal(result(played), np.full(10, -1.25, np.float32))
    assert [len(bytes.fromhex(one)) for one in played.steps("launch")[0]["arguments"]] == [
        *[8] * 7,
        *(8, 1, 8, 8, 4, 8, 8, 1),
    ]


def test_half_precision(plays: Plays) -> None:
    text = """
@cuda.jit
def square(x, output):
    i = cuda.grid(1)
    if i < x.size:
        output[i] = x[i] * x[i]

def solve(x, output, N):
    square.forall(N)(x, output)
"""
    x = np.linspace(-4, 4, 77).astype(np.float16)
    (played,) = plays(text, Call({"x": x, "output": np.zeros_like(x), "N": x.size}))
    np.testing.assert_array_equal(result(played), x * x)


def test_atomics_and_shuffles(plays: Plays) -> None:
    text = """
@cuda.jit
def total(x, output):
    i = cuda.grid(1)
    value = x[i] if i < x.size else float32(0)
    for distance in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, distance)
    if cuda.laneid == 0:
        cuda.atomic.add(output, 0, value)

def solve(x, output, N):
    output[:] = 0
    total[(N + 255) // 256, 256](x, output)
"""
    call = values(777)
    (played,) = plays(text, call)
    assert result(played)[0] == pytest.approx(call.arguments["x"].sum(dtype=np.float64), abs=1e-4)


def test_a_barrier_of_the_grid(plays: Plays) -> None:
    text = """
@cuda.jit
def turn(x, output, scratch):
    i = cuda.grid(1)
    scratch[i] = x[i]
    cuda.cg.this_grid().sync()
    output[i] = scratch[x.size - 1 - i]

def solve(x, output, N):
    turn[4, 64](x, output, cuda.device_array(N, np.float32))
"""
    call = values(256)
    (played,) = plays(text, call)
    np.testing.assert_array_equal(result(played), call.arguments["x"][::-1])
    assert played.steps("launch")[0]["cooperative"]


def test_anything_on_the_device_is_an_array(plays: Plays) -> None:
    text = (
        DOUBLE
        + """
class Tensor:
    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, "torch.float32"

    def data_ptr(self):
        return self.array.__cuda_array_interface__["data"][0]

    def stride(self):
        return (1,)

class Interface:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__

def solve(x, output, N):
    double.forall(N)(Tensor(x), Interface(output))
"""
    )
    call = values(100)
    np.testing.assert_array_equal(result(plays(text, call)[0]), 2 * call.arguments["x"])


def test_the_device_answers(plays: Plays) -> None:
    text = """
def solve(x, output, N):
    device = cuda.get_current_device()
    assert cuda.is_available() and len(cuda.gpus) == 1
    assert device.compute_capability == (8, 9)
    assert device.WARP_SIZE == 32
    output[:] = device.MULTIPROCESSOR_COUNT
"""
    (played,) = plays(text, values(4))
    np.testing.assert_array_equal(result(played), np.full(4, emulated().attributes[16]))


def test_machine_code_is_of_the_device(plays: Plays) -> None:
    text = DOUBLE + "def solve(x, output, N):\n    double[(N + 63) // 64, 64](x, output)\n    output[0] = 1\n"
    hopper = emulated((9, 0))
    both = plays(text, values(10), values(10, machine_code=True), values(10, device=hopper, machine_code=True))
    told = [one.kernels() for one in both]
    assert [len(kernels) for kernels in told] == [2, 2, 2]
    assert all(one["cubin"] == "" for one in told[0])
    assert all(bytes.fromhex(one["cubin"]).startswith(b"\x7fELF") for one in told[1] + told[2])
    assert all(".target sm_89" in one["ptx"] for one in told[0] + told[1])
    assert all(".target sm_90" in one["ptx"] for one in told[2])


def test_streams_of_a_call_are_not_those_of_another(plays: Plays) -> None:
    text = DOUBLE + "def solve(x, output, N):\n    double[1, 32, cuda.stream()](x, output)\n"
    first, second = plays(text, values(10), values(20))
    assert first.steps("launch")[0]["stream"] == second.steps("launch")[0]["stream"]


def test_arrays_that_outlive_a_call_are_not_freed_in_the_next(plays: Plays) -> None:
    # So many that a tape would tell of them at once.
    text = (
        DOUBLE
        + """
def solve(x, output, N):
    cuda.kept = [cuda.device_array_like(x) for _ in range(300)]
    double.forall(N)(x, output)
"""
    )
    first, second = plays(text, values(10), values(10))
    assert len(first.steps("launch")) == len(second.steps("launch")) == 1
    assert first.steps("free") == second.steps("free") == []


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("cuda.mapped_array(4)", "cuda.mapped_array()"),
        ("cuda.managed_array(4)", "cuda.managed_array()"),
        ("x.get_ipc_handle()", "get_ipc_handle()"),
        ("cuda.stream().add_callback(print)", "stream.add_callback()"),
        ("cuda.current_context().enable_peer_access(0)", "cuCtxEnablePeerAccess"),
    ],
)
def test_what_a_plan_can_not_hold_is_refused_by_name(plays: Plays, call: str, name: str) -> None:
    text = f"def solve(x, output, N):\n    {call}\n"
    (played,) = plays(text, values(10))
    assert played.refusal is not None
    assert played.refusal[0] == name
    assert played.line == line_of(text, call)


def test_a_type_that_numba_lacks_is_refused(process: ProcessPoolExecutor, tmp_path: Path) -> None:
    made = process.submit(refused_type, tmp_path / "submission.py").result(timeout=300)
    assert made == ("the parameter x", "numba has no arrays of float8_e4m3fn")


def refused_type(file: Path) -> tuple[str, str] | None:
    """The refusal of an array of bytes that are floats."""
    from grader.plan.python.driver import DeviceArray
    from grader.plan.python.numba.arrays import of_problem
    from grader.plan.python.tape import Refusal, Tape
    from grader.run.emulator.memory import Memory
    from tests.plan.python.played_judge import PlayedJudge

    tape = Tape(PlayedJudge(Memory(), 0), emulated(), False, str(file))
    try:
        of_problem(DeviceArray("x", "float8_e4m3fn", (4,), 1 << 40), tape)
    except Refusal as refused:
        return refused.call, refused.message
    return None


def test_no_room_is_told_as_such(plays: Plays) -> None:
    (played,) = plays("def solve(x, output, N):\n    cuda.device_array(1 << 40)\n", values(10))
    assert played.error is not None
    assert "more than the device has" in played.error[1]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("output[0] = x.missing", "Unknown attribute 'missing'"),
        ("output[0] = undefined", "NameError: name 'undefined' is not defined"),
        ("output[0] = x[0] + 'a'", "No implementation of function"),
        ("cuda.shared.array(x.size, float32)", "shared.array"),
        ("output[0] = np.float16(x[0]) if x[0] > 0 else HALF", "NVIDIA's compiler refuses"),
    ],
)
def test_what_numba_can_not_compile_is_an_error_of_the_file(plays: Plays, body: str, said: str) -> None:
    kernel = f"HALF = np.float16(0)\n\n@cuda.jit\ndef kernel(x, output):\n    {body}\n\n"
    text = kernel + "def solve(x, output, N):\n    kernel[1, 1](x, output)\n"
    (played,) = plays(text, values(10))
    assert played.failure is not None
    assert said in played.failure[0]
    assert "0x" not in played.failure[0]
    assert played.failure[1] in (0, line_of(text, body))


def test_nothing_is_imported_before_a_driver_is_made() -> None:
    program = "import sys, grader.plan.python.numba.driver; print('numba' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout.strip() == "False"


def test_signatures_compile_before_anything_is_recorded(process: ProcessPoolExecutor, tmp_path: Path) -> None:
    file = tmp_path / "submission.py"
    signature = "@cuda.jit('void(float32[:])')\ndef kernel(x):\n    x[0] = {}\n"
    file.write_text(HEAD + signature.format("1"), encoding="utf-8")
    assert process.submit(import_only, file).result(timeout=300) is None
    file.write_text(HEAD + signature.format("x.missing"), encoding="utf-8")
    failure = process.submit(import_only, file).result(timeout=300)
    assert failure is not None
    assert "Unknown attribute 'missing'" in failure[0]


def import_only(file: Path) -> tuple[str, int] | None:
    """What the driver says of an import outside of any call of solve()."""
    from grader.plan.python.numba.driver import NumbaDriver
    from grader.plan.python.tape import Refusal, Tape

    def none() -> Tape:
        raise Refusal("the import", "nothing is recorded yet", "call solve()")

    driver = NumbaDriver({})
    driver.install(none)
    try:
        imported(file)
    except Exception as error:
        return driver.compile_failure(error) or ("no compile error", 0)
    return None
