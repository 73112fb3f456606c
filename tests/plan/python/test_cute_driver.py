"""CuTe DSL's driver: what solve() launches runs on the emulator as it was recorded.

That is in a process of its own, because the driver changes the language for good.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from tests.plan.python.played_judge import Call, Played, emulated, play

DRIVER = "grader.plan.python.cute.driver:CuteDriver"
HEAD = "import cutlass\nimport cutlass.cute as cute\n"
ADD = """
    @cute.kernel
    def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cute.Int32):
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        i = block * 256 + thread
        if i < n:
            c[i] = a[i] + b[i]
"""
random = np.random.default_rng(7)

pytestmark = pytest.mark.skipif(
    find_spec("nvidia_cutlass_dsl") is None, reason="needs nvidia-cutlass-dsl: pip install 'kgrade[cute]'"
)
Run = Callable[..., list[Played]]


@pytest.fixture(scope="module")
def process() -> Iterator[Any]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


@pytest.fixture
def run(process: Any, tmp_path: Path) -> Run:
    def run(text: str, *calls: Call) -> list[Played]:
        file = tmp_path / "submission.py"
        file.write_text(HEAD + dedent(text), encoding="utf-8")
        answer: list[Played] = process.apply(play, (DRIVER, file, calls))
        return answer

    return run


def vectors(n: int, **more: Any) -> Call:
    a, b = random.random((2, n), np.float32)
    return Call({"a": a, "b": b, "output": np.zeros(n, np.float32), "n": n}, **more)


def done(played: Played) -> Played:
    assert (played.refusal, played.error, played.faults) == (None, None, ())
    return played


def line_of(text: str, words: str) -> int:
    return (HEAD + dedent(text)).splitlines().index(next(one for one in dedent(text).splitlines() if words in one)) + 1


JITTED = (
    ADD
    + """
    @cute.jit
    def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, n: cute.Int32):
        add(a, b, output, n).launch(grid=((n + 255) // 256, 1, 1), block=(256, 1, 1))
"""
)


def test_a_jitted_solve_compiles_once_for_all_sizes(run: Run) -> None:
    calls = [vectors(n) for n in (5000, 77, 256)]
    played = [done(one) for one in run(JITTED, *calls)]
    for call, one in zip(calls, played, strict=True):
        assert np.array_equal(one.arrays["output"], call.arguments["a"] + call.arguments["b"])
    assert played[0].compiled > 0
    assert [one.compiled for one in played[1:]] == [0, 0]


def test_a_launch_has_its_name_geometry_and_line(run: Run) -> None:
    (one,) = run(JITTED, vectors(5000))
    assert [kernel["name"] for kernel in one.kernels()] == ["add"]
    (launch,) = one.steps("launch")
    assert (launch["grid"], launch["block"], launch["shared"]) == ([20, 1, 1], [256, 1, 1], 0)
    assert launch["at"] == [line_of(JITTED, ".launch")]


def test_gaps_of_an_argument_are_zero(run: Run) -> None:
    (one,) = run(JITTED, vectors(5000))
    # A pointer, a size of 4 bytes, and what the host code happened to have on its stack.
    assert all(bytes.fromhex(argument)[12:] == bytes(4) for argument in one.steps("launch")[0]["arguments"][:3])


def test_a_missing_bounds_check_is_told_at_its_line(run: Run) -> None:
    text = JITTED.replace("if i < n:", "if i < n + 1:")
    (one,) = run(text, vectors(5000))
    assert [fault.kind for fault in one.faults] == ["out_of_bounds"]
    assert one.faults[0].line == line_of(text, "c[i] = a[i]")


def test_a_plain_solve_calls_jitted_and_compiled_functions(run: Run) -> None:
    text = (
        ADD
        + """
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cute.Int32):
        add(a, b, c, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))

    def solve(a, b, output, n):
        assert output.shape == (n,)
        host(a, b, output, n)
        compiled = cute.compile(host, output, b, output, n)
        compiled(output, b, output, n)
    """
    )
    calls = [vectors(700), vectors(1025)]
    played = run(text, *calls)
    for call, one in zip(calls, played, strict=True):
        a, b = call.arguments["a"], call.arguments["b"]
        assert np.array_equal(done(one).arrays["output"], a + b + b)
        assert [step["at"] for step in one.steps("launch")] == 2 * [[line_of(text, ".launch")]]
    assert played[0].compiled > 0
    assert played[1].compiled == 0


def test_tensors_of_from_dlpack_have_static_layouts(run: Run) -> None:
    text = (
        ADD
        + """
    from cutlass.cute.runtime import from_dlpack

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cutlass.Constexpr):
        assert isinstance(cute.size(a), int)
        add(a, b, c, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))

    def solve(a, b, output, n):
        host(from_dlpack(a, assumed_align=16), from_dlpack(b), from_dlpack(output), n)
    """
    )
    calls = [vectors(700), vectors(300), vectors(700)]
    played = run(text, *calls)
    for call, one in zip(calls, played, strict=True):
        assert np.array_equal(done(one).arrays["output"], call.arguments["a"] + call.arguments["b"])
    assert [one.compiled for one in played] == [1, 1, 0]


def test_scratch_of_cuda_bindings(run: Run) -> None:
    text = (
        ADD
        + """
    import cuda.bindings.driver as cuda
    from cutlass.cute.runtime import make_ptr

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, space: cute.Pointer, n: cute.Int32):
        scratch = cute.make_tensor(space, cute.make_layout(n))
        add(a, scratch, scratch, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))
        add(scratch, b, c, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))

    def solve(a, b, output, n):
        _, space = cuda.cuMemAlloc(4 * n)
        cuda.cuMemsetD32(space, 0x3F800000, n)
        host(a, b, output, make_ptr(cutlass.Float32, int(space), cute.AddressSpace.gmem, assumed_align=16), n)
        cuda.cuCtxSynchronize()
        cuda.cuMemFree(space)
    """
    )
    call = vectors(999)
    (one,) = run(text, call)
    want = call.arguments["a"] + np.float32(1) + call.arguments["b"]
    assert np.array_equal(done(one).arrays["output"], want)
    assert [len(one.steps(op)) for op in ("upload", "launch", "sync_device", "free")] == [1, 2, 1, 1]


def test_copies_of_cuda_bindings(run: Run) -> None:
    text = (
        ADD
        + """
    import array
    import cuda.bindings.runtime as cudart
    from cutlass.cute.runtime import make_ptr

    @cute.jit
    def host(a: cute.Tensor, place: cute.Pointer, output: cute.Tensor, n: cute.Int32):
        b = cute.make_tensor(place, cute.make_layout(n))
        add(a, b, output, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))

    def solve(a, b, output, n):
        kinds = cudart.cudaMemcpyKind
        seen = array.array("f", bytes(4 * n))
        _, first = cudart.cudaMalloc(4 * n)
        _, second = cudart.cudaMalloc(4 * n)
        cudart.cudaMemcpy(seen.buffer_info()[0], b.data_ptr, 4 * n, kinds.cudaMemcpyDeviceToHost)
        seen[0] = 100.0
        cudart.cudaMemcpy(first, seen, 4 * n, kinds.cudaMemcpyHostToDevice)
        cudart.cudaMemcpyAsync(second, first, 4 * n, kinds.cudaMemcpyDeviceToDevice, 0)
        host(a, make_ptr(cutlass.Float32, second, cute.AddressSpace.gmem), output, n)
    """
    )
    call = vectors(300)
    (one,) = run(text, call)
    b = call.arguments["b"].copy()
    b[0] = 100
    assert np.array_equal(done(one).arrays["output"], call.arguments["a"] + b)


def test_host_code_that_calls_more_than_launches_is_refused(run: Run) -> None:
    text = (
        ADD
        + """
    from cutlass._mlir.dialects import cuda

    @cute.jit
    def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, n: cute.Int32):
        add(a, b, output, n).launch(grid=((n + 255) // 256, 1, 1), block=(256, 1, 1))
        cuda.device_sync(results=[cuda.ResultType.get()])
    """
    )
    (one,) = run(text, vectors(300))
    assert one.refusal is not None
    assert one.refusal[0] == "cudaDeviceSynchronize"


def test_arrays_of_another_framework(run: Run) -> None:
    text = (
        ADD
        + """
    from cutlass.cute.runtime import from_dlpack

    class Array:
        def __init__(self, tensor):
            self.tensor, self.dtype, self.shape = tensor, "torch.float32", tensor.shape

        def data_ptr(self):
            return self.tensor.data_ptr

        def stride(self):
            return self.tensor.stride

    class Interface:
        def __init__(self, tensor):
            typed = {"data": (tensor.data_ptr, False), "typestr": "<f4", "shape": tensor.shape, "version": 3}
            self.__cuda_array_interface__ = typed

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cute.Int32):
        add(a, b, c, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))

    def solve(a, b, output, n):
        host(from_dlpack(Array(a)), from_dlpack(Interface(b)).mark_layout_dynamic(), from_dlpack(Array(output)), n)
    """
    )
    call = vectors(999)
    (one,) = run(text, call)
    assert np.array_equal(done(one).arrays["output"], call.arguments["a"] + call.arguments["b"])


def test_a_tensor_keeps_the_array_that_it_is_made_of(run: Run) -> None:
    text = (
        ADD
        + """
    import weakref
    from cutlass.cute.runtime import from_dlpack

    class Array:
        dtype = "torch.float32"

        def __init__(self, tensor):
            self.tensor, self.shape = tensor, tensor.shape

        def data_ptr(self):
            return self.tensor.data_ptr

        def stride(self):
            return self.tensor.stride

    def solve(a, b, output, n):
        array = Array(a)
        alive = weakref.ref(array)
        made = from_dlpack(array).mark_layout_dynamic()
        del array
        assert alive() is not None
        del made
        assert alive() is None
    """
    )
    (one,) = run(text, vectors(9))
    assert one.error is None


def test_shared_memory_and_device_functions(run: Run) -> None:
    text = """
    from cutlass.utils import SmemAllocator

    @cute.jit
    def folded(shared: cute.Tensor, thread: cute.Int32, width: cutlass.Constexpr):
        if thread < width:
            shared[thread] = shared[thread] + shared[thread + width]
        cute.arch.sync_threads()

    @cute.kernel
    def partial(a: cute.Tensor, output: cute.Tensor, n: cute.Int32, SIZE: cutlass.Constexpr):
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        shared = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(SIZE), byte_alignment=16)
        i = block * SIZE + thread
        value = cutlass.Float32(0.0)
        if i < n:
            value = a[i].to(cutlass.Float32)
        shared[thread] = value
        cute.arch.sync_threads()
        for step in cutlass.range_constexpr(7):
            folded(shared, thread, SIZE >> (step + 1))
        if thread == 0:
            output[block] = shared[0]

    @cute.jit
    def solve(a: cute.Tensor, output: cute.Tensor, n: int):
        partial(a, output, n, 128).launch(grid=(cute.ceil_div(n, 128), 1, 1), block=(128, 1, 1))
    """
    a = random.integers(-3, 4, 1000).astype(np.float16)
    call = Call({"a": a, "output": np.zeros(8, np.float32), "n": 1000})
    (one,) = run(text, call)
    want = np.pad(a, (0, 24)).astype(np.float32).reshape(8, 128).sum(1)
    assert np.array_equal(done(one).arrays["output"], want)
    assert one.steps("launch")[0]["shared"] == 512


def test_races_in_shared_memory_are_found(run: Run) -> None:
    text = """
    from cutlass.utils import SmemAllocator

    @cute.kernel
    def turn(a: cute.Tensor, output: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        shared = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(128), byte_alignment=16)
        shared[thread] = a[thread]
        output[thread] = shared[127 - thread]

    @cute.jit
    def solve(a: cute.Tensor, output: cute.Tensor, n: cute.Int32):
        turn(a, output).launch(grid=(1, 1, 1), block=(128, 1, 1))
    """
    (one,) = run(text, Call({"a": np.ones(128, np.float32), "output": np.zeros(128, np.float32), "n": 128}))
    assert {fault.kind for fault in one.faults} == {"data_race"}
    assert line_of(text, "output[thread] =") in {fault.line for fault in one.faults}


def test_views_tiles_and_half_precision(run: Run) -> None:
    text = """
    @cute.kernel
    def doubled(tiles: cute.Tensor, results: cute.Tensor, rows: cute.Int32, columns: cute.Int32):
        x, y, _ = cute.arch.thread_idx()
        column, row, _ = cute.arch.block_idx()
        if row * 8 + y < rows and column * 16 + x < columns:
            tile = tiles[(None, None), (row, column)]
            result = results[(None, None), (row, column)]
            result[y, x] = tile[y, x] * cutlass.Float16(2.0)

    @cute.jit
    def solve(a: cute.Tensor, output: cute.Tensor, rows: cute.Int32, columns: cute.Int32):
        tiles = cute.zipped_divide(a, (8, 16))
        results = cute.zipped_divide(output, (8, 16))
        grid = (cute.ceil_div(columns, 16), cute.ceil_div(rows, 8), 1)
        doubled(tiles, results, rows, columns).launch(grid=grid, block=(16, 8, 1))
    """
    shapes = ((50, 70), (1, 1), (8, 1))
    calls = [
        Call(
            {"a": random.random(s).astype(np.float16), "output": np.zeros(s, np.float16), "rows": s[0], "columns": s[1]}
        )
        for s in shapes
    ]
    played = run(text, *calls)
    for call, one in zip(calls, played, strict=True):
        assert np.array_equal(done(one).arrays["output"], call.arguments["a"] * np.float16(2))
    assert [one.compiled > 0 for one in played] == [True, False, False]


def test_what_a_trace_records_is_recorded_each_time(run: Run) -> None:
    text = (
        ADD
        + """
    import cuda.bindings.driver as cuda

    @cute.jit
    def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, n: cute.Int32):
        cuda.cuCtxSynchronize()
        add(a, b, output, n).launch(grid=((n + 255) // 256, 1, 1), block=(256, 1, 1))
    """
    )
    for one in run(text, vectors(300), vectors(500)):
        assert [len(done(one).steps(op)) for op in ("sync_device", "launch")] == [1, 1]


def test_a_constant_argument_is_compiled_in(run: Run) -> None:
    text = """
    @cute.kernel
    def fill(output: cute.Tensor, n: cutlass.Constexpr):
        for i in cutlass.range_constexpr(n):
            output[i] = cutlass.Float32(i)

    @cute.jit
    def solve(output: cute.Tensor, n: cutlass.Constexpr):
        fill(output, n).launch(grid=(1, 1, 1), block=(1, 1, 1))
    """
    for n, one in zip(
        (3, 5), run(text, *(Call({"output": np.ones(n, np.float32), "n": n}) for n in (3, 5))), strict=True
    ):
        assert np.array_equal(done(one).arrays["output"], np.arange(n, dtype=np.float32))
        assert one.compiled == 1


def test_an_atomic_operation_has_its_line(run: Run) -> None:
    text = """
    @cute.kernel
    def count(output: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        cute.arch.atomic_add(output.iterator + thread, cutlass.Int32(1))

    @cute.jit
    def solve(output: cute.Tensor):
        count(output).launch(grid=(1, 1, 1), block=(32, 1, 1))
    """
    (one,) = run(text, Call({"output": np.zeros(31, np.int32)}, outputs=()))
    assert [(fault.kind, fault.line) for fault in one.faults] == [("out_of_bounds", line_of(text, "atomic_add"))]


def test_three_elements_are_not_read_as_four(run: Run) -> None:
    text = """
    @cute.kernel
    def total(input: cute.Tensor, output: cute.Tensor):
        output[0] = input[0] + input[1] + input[2]

    @cute.jit
    def solve(input: cute.Tensor, output: cute.Tensor):
        total(input, output).launch(grid=(1, 1, 1), block=(1, 1, 1))
    """
    (one,) = run(text, Call({"input": np.arange(3, dtype=np.int32), "output": np.zeros(1, np.int32)}))
    assert done(one).arrays["output"][0] == 3


def test_machine_code_comes_for_the_capability(run: Run) -> None:
    (one,) = run(JITTED, vectors(100, device=emulated((9, 0)), machine_code=True))
    (kernel,) = done(one).kernels()
    assert bytes.fromhex(kernel["cubin"]).startswith(b"\x7fELF")
    assert ".target sm_90a" in kernel["ptx"]


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("cuda.cuCtxCreate(0, 0)", "cuda.bindings.driver.cuCtxCreate"),
        ("cudart.cudaGraphCreate(0)", "cuda.bindings.runtime.cudaGraphCreate"),
        ("cutlass.cuda.stream_create()", "cuda.bindings.driver.cuStreamCreate"),
    ],
)
def test_what_a_plan_cannot_hold_is_refused_by_name(run: Run, statement: str, call: str) -> None:
    text = f"""
    import cuda.bindings.driver as cuda
    import cuda.bindings.runtime as cudart

    def solve(a, b, output, n):
        {statement}
    """
    (one,) = run(text, vectors(100))
    assert one.refusal is not None
    assert one.refusal[0] == call
    assert one.line == line_of(text, statement)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [("c[i] = a[i] + bias[i]", "bias"), ("c[i] = cute.no_such(a[i])", "no_such"), ("c[i] = a[i].to(3)", "ValueError")],
)
def test_a_compile_error_is_told_with_its_line(run: Run, wrong: str, words: str) -> None:
    text = JITTED.replace("c[i] = a[i] + b[i]", wrong)
    (one,) = run(text, vectors(100))
    assert one.failure is not None
    assert words in one.failure[0]
    assert "\x1b" not in one.failure[0]
    assert (one.failure[1] or one.line) == line_of(text, wrong)


def test_a_launch_outside_of_a_host_function_is_told_with_its_line(run: Run) -> None:
    text = (
        ADD
        + """
    def solve(a, b, output, n):
        add(a, b, output, n).launch(grid=(1, 1, 1), block=(256, 1, 1))
    """
    )
    (one,) = run(text, vectors(100))
    assert one.failure is not None
    assert "plain Python" in one.failure[0]
    assert (one.failure[1] or one.line) == line_of(text, ".launch")


def test_an_error_of_solve_is_its_own(run: Run) -> None:
    (one,) = run("def solve(a, b, output, n):\n    return a.shape[1]\n", vectors(10))
    assert one.error is not None
    assert one.error[0] == "IndexError"
    assert one.failure is None
