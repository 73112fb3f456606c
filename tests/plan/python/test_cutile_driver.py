"""cuTile's side of recording: what its submissions launch runs on the emulator and gives NumPy's results."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.errors import ToolMissing
from grader.machine.own_packages import TILEIRAS, install_once
from grader.plan.python.cutile.arrays import CutileArray, as_argument
from grader.plan.python.cutile.compiler import find_assembler, find_compiler, read_compiled
from tests.plan.python.played_judge import Call, Played, emulated, play

DRIVER = "grader.plan.python.cutile.driver:CutileDriver"
HEAD = "import cuda.tile as ct\n\n"


@pytest.fixture(scope="module")
def cutile() -> None:
    """cuTile with its compiler, which is installed once; skips where that can't be."""
    # The name alone may be that of another of NVIDIA's packages.
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.tile") is None:
        pytest.skip("cuda-tile is missing; type: pip install 'kgrade[cutile]'")
    try:
        install_once(TILEIRAS, lambda words: None)
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def assembler() -> None:
    """The ptxas that cuTile's kernels need for a GPU; skips where it was not installed."""
    try:
        find_assembler()
    except ToolMissing as missing:
        pytest.skip(str(missing))


needs_cutile = pytest.mark.usefixtures("cutile")
needs_assembler = pytest.mark.usefixtures("assembler")


def _at_home(home: str) -> None:
    os.environ["HOME"] = home


def _played(folder: Path, text: str, *calls: Call) -> list[Played]:
    """Calls the solve() of a text in a process of its own, for the driver changes cuTile for good."""
    file = folder / "submission.py"
    file.write_text(HEAD + text, encoding="utf-8")
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned, initializer=_at_home, initargs=(str(folder),)) as process:
        return process.submit(play, DRIVER, file, calls).result()


def _line(text: str) -> int:
    """The line that ends in `# here`."""
    lines: Sequence[str] = (HEAD + text).splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith("# here"))


def _random(*shape: int, dtype: str = "float32") -> Any:
    return np.random.default_rng(7).standard_normal(shape).astype(dtype)


SCALE = """
@ct.function
def doubled(x):
    return x + x

@ct.kernel
def scale(x, output, factor, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(output, index=(i,), tile=doubled(ct.load(x, index=(i,), shape=(tile,))) * factor)

@ct.kernel
def add_one(output):
    indices = ct.bid(0) * 64 + ct.arange(64, dtype=ct.int32)
    ct.scatter(output, indices, ct.gather(output, indices) + 1.0)

def solve(x, output, N, factor):
    ct.launch(None, (ct.cdiv(N, 256), 1), scale, (x, output, factor, 256))
    ct.launch(0, (ct.cdiv(N, 64),), add_one, (output,))
"""


def _scale(count: int, **how: Any) -> Call:
    x = _random(count)
    return Call({"x": x, "output": np.zeros_like(x), "N": count, "factor": 1.5}, **how)


@needs_cutile
def test_two_kernels_a_function_and_a_constant(tmp_path: Path) -> None:
    calls = [_scale(count) for count in (1000, 1001, 1003, 2000)]
    played = _played(tmp_path, SCALE, *calls)
    for call, one in zip(calls, played, strict=True):
        assert not one.faults and one.error is None and one.refusal is None
        assert np.allclose(one.arrays["output"], call.arguments["x"] * 3.0 + 1.0)
    # A size that 16 divides is compiled for on its own, as cuTile does; else the size does not matter.
    assert [one.compiled for one in played] == [2, 0, 0, 2]
    first = played[0]
    assert [kernel["name"] for kernel in first.kernels()] == ["scale", "add_one"]
    launch = first.steps("launch")[0]
    assert launch["grid"] == [4, 1, 1] and launch["block"][0] >= 32
    assert [len(bytes.fromhex(one)) for one in launch["arguments"]] == [8, 4, 4, 8, 4, 4, 4]
    assert launch["at"] == [_line(SCALE.replace("256))", "256))  # here"))]


@needs_cutile
def test_a_file_that_imports_torch_gets_its_tensors(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    asked = "    assert x.is_cuda and x.dtype is torch.float32 and x.device.type == 'cuda'\n"
    text = "import torch\n" + SCALE.replace("    ct.launch(None", asked + "    ct.launch(None")
    call = _scale(1000)
    (one,) = _played(tmp_path, text, call)
    assert one.error is None and not one.faults
    assert np.allclose(one.arrays["output"], call.arguments["x"] * 3.0 + 1.0)


@needs_cutile
def test_a_grid_of_no_blocks_is_told_with_its_size(tmp_path: Path) -> None:
    (one,) = _played(tmp_path, SCALE.replace("ct.cdiv(N, 256)", "N // 256"), _scale(100))
    assert one.error is not None and one.error[0] == "ValueError" and "a grid of (0, 1, 1) blocks" in one.error[1]
    assert not one.steps("launch")


MATMUL = """
@ct.kernel
def matmul(A, B, C, tile: ct.Constant[int]):
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for step in range(ct.num_tiles(A, axis=1, shape=(tile, 32))):
        a = ct.load(A, index=(row, step), shape=(tile, 32), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(step, column), shape=(32, tile), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(a, b, total)
    ct.store(C, index=(row, column), tile=ct.astype(total, C.dtype))

def solve(A, B, C, M, N, K):
    tile = 64
    ct.launch(0, (ct.cdiv(M, tile), ct.cdiv(K, tile)), matmul, (A, B, C, tile))
"""


@needs_cutile
def test_half_precision_and_more_shared_memory_than_can_be_declared(tmp_path: Path) -> None:
    def call(rows: int, inner: int, columns: int) -> Call:
        a, b = _random(rows, inner, dtype="float16"), _random(inner, columns, dtype="float16")
        sizes = {"M": rows, "N": inner, "K": columns}
        return Call({"A": a, "B": b, "C": np.zeros((rows, columns), "float16"), **sizes}, outputs=("C",))

    calls = [call(33, 47, 65), call(64, 64, 64)]
    played = _played(tmp_path, MATMUL, *calls)
    for one, done in zip(calls, played, strict=True):
        assert not done.faults and done.error is None
        expected = one.arguments["A"].astype("d") @ one.arguments["B"].astype("d")
        assert np.abs(done.arrays["C"] - expected).max() < 0.02
    # Strides that 16 bytes divide let it copy asynchronously, through more memory.
    shared = [done.steps("launch")[0]["shared"] for done in played]
    assert shared[0] == 0 and shared[1] > 49152


UNCHECKED = """
@ct.kernel
def copy(x, output):
    indices = ct.bid(0) * 128 + ct.arange(128, dtype=ct.int32)
    values = ct.gather(x, indices, check_bounds=False)  # here
    ct.scatter(output, indices, values)

def solve(x, output, N):
    ct.launch(0, (ct.cdiv(N, 128),), copy, (x, output))
"""


@needs_cutile
def test_an_unchecked_index_is_out_of_bounds_at_its_line(tmp_path: Path) -> None:
    x = _random(200)
    [played] = _played(tmp_path, UNCHECKED, Call({"x": x, "output": np.zeros_like(x), "N": 200}))
    assert [(fault.kind, fault.line) for fault in played.faults[:1]] == [("out_of_bounds", _line(UNCHECKED))]


VIEWS = """
class Column:
    def __init__(self, matrix, column):
        rows, columns = matrix.shape
        told = matrix.__cuda_array_interface__
        self.__cuda_array_interface__ = {
            **told,
            "shape": (rows,),
            "strides": (columns * matrix.itemsize,),
            "data": (matrix.data_ptr() + column * matrix.itemsize, False),
        }

@ct.kernel
def add(columns, output, start, count: ct.Constant[int]):
    part = output.slice(axis=0, start=start, stop=output.shape[0])
    total = ct.zeros((32,), ct.float32)
    for i in range(count):
        total += ct.load(columns[i], index=(0,), shape=(32,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(part, index=(0,), tile=total)

def solve(x, output):
    columns = [Column(x, 1), Column(x, 3)]
    ct.launch(0, (1,), add, (columns, output, 4, 2))
"""


@needs_cutile
def test_views_lists_and_slices(tmp_path: Path) -> None:
    x = _random(20, 5)
    [played] = _played(tmp_path, VIEWS, Call({"x": x, "output": np.zeros(24, "float32")}))
    assert not played.faults and played.error is None and played.refusal is None
    assert np.allclose(played.arrays["output"][4:], x[:, 1] + x[:, 3])
    assert not played.arrays["output"][:4].any()
    # The list itself lies on the device, in scratch.
    assert len(played.steps("upload")) == 1


TUNED = """
@ct.kernel
def fill(output, value, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(output, index=(i,), tile=ct.full((tile,), value, ct.float32))

def solve(output, N):
    found = ct.tune.exhaustive_search(
        [64, 128], 0, lambda tile: (ct.cdiv(N, tile),), fill, lambda tile: (output, 1.0, tile)
    )
    tile = found.best.config
    ct.launch(0, (ct.cdiv(N, tile),), fill, (output, float(tile), tile))
"""


@needs_cutile
def test_tuning_takes_the_first_configuration(tmp_path: Path) -> None:
    [played] = _played(tmp_path, TUNED, Call({"output": np.zeros(100, "float32"), "N": 100}))
    assert (played.arrays["output"] == 64.0).all() and len(played.steps("launch")) == 1


@needs_cutile
@needs_assembler
def test_tuning_beside_a_gpu_takes_the_fastest_configuration(tmp_path: Path) -> None:
    # The first is no tile; of the others the second makes fewer blocks.
    text = TUNED.replace("[64, 128]", "[100, 64, 128]")
    call = Call({"output": np.zeros(200, "float32"), "N": 200}, device=emulated((9, 0)), machine_code=True)
    first, again = _played(tmp_path, text, call, call)
    assert [launch["grid"] for launch in first.steps("launch")] == [[2, 1, 1]]
    assert [one["text"] for one in first.messages if one["op"] == "note"] == ["cuTile's tuner chose 128"]
    assert sum(one["op"] == "time" for one in first.messages) == 2
    assert not any(one["op"] == "time" for one in again.messages)


@needs_cutile
def test_an_error_of_the_compiler_has_its_line(tmp_path: Path) -> None:
    text = UNCHECKED.replace("  # here", "").replace(
        "ct.arange(128, dtype=ct.int32)", "ct.arange(100, dtype=ct.int32)  # here"
    )
    x = _random(200)
    [played] = _played(tmp_path, text, Call({"x": x, "output": np.zeros_like(x), "N": 200}))
    assert played.failure is not None
    assert played.failure[1] == _line(text) and "power of 2" in played.failure[0]


@needs_cutile
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ct.launch(0,", "ct.launch(1234,", "0x4d2 is not a stream of this device"),
        ("(ct.cdiv(N, 128),)", "(0,)", "a grid of (0, 1, 1) blocks, where each number has to be at least 1"),
        ("(x, output))", "(x,))", "expects 2 arguments"),
    ],
)
def test_what_can_not_be_launched(tmp_path: Path, old: str, new: str, expected: str) -> None:
    x = _random(200)
    [played] = _played(tmp_path, UNCHECKED.replace(old, new), Call({"x": x, "output": np.zeros_like(x), "N": 200}))
    told = played.refusal or played.error
    assert told is not None and expected in told[1]
    assert not played.steps("launch")


@needs_cutile
@needs_assembler
def test_machine_code_for_a_gpu(tmp_path: Path) -> None:
    device = emulated((9, 0))
    [played] = _played(tmp_path, SCALE, _scale(1000, device=device, machine_code=True))
    assert played.error is None
    for kernel in played.kernels():
        assert bytes.fromhex(kernel["cubin"]).startswith(b"\x7fELF") and ".target sm_90" in kernel["ptx"]
    # The GPU's driver adds the threads.
    assert [launch["block"] for launch in played.steps("launch")] == [[1, 1, 1]] * 2


class _Tensor:
    """As torch's: a type with a name of its own, strides in elements from a method."""

    dtype = "torch.bfloat16"
    shape = (4, 6)

    def data_ptr(self) -> int:
        return 4096

    def stride(self) -> tuple[int, ...]:
        return (1, 4)


def test_arrays_of_other_libraries_become_ours() -> None:
    numbers, (one, *_) = as_argument((3, [_Tensor()]))
    assert numbers == 3
    assert (one.dtype, one.shape, one.strides, one.data_ptr()) == ("bfloat16", (4, 6), (1, 4), 4096)
    with pytest.raises(AttributeError, match="no bfloat16"):
        _ = one.__cuda_array_interface__

    class Other:
        __cuda_array_interface__ = CutileArray(256, (3, 5), "int16", (10, 2)).__cuda_array_interface__

    other = as_argument(Other())
    assert (other.dtype, other.shape, other.strides, other.data_ptr()) == ("int16", (3, 5), (10, 2), 256)


PTX = """\
.version 9.5
.target sm_90a
.visible .entry one(
	.param .u64 .ptr .global .align 1 one_param_0,
	.param .align 8 .b8 one_param_1[24],
	.hidden	.param .align 64 .b8 one_param_2[128]
)
.reqntid 256
.reqnctapercluster 2
{
	.shared .align 128 .b8 global_smem_one[65536];
	.loc	1 6 6
	.loc_intermediate	2 13 4
	mov.u32 	%r1, global_smem_one;
	ret;
}
	.file	1 "/a/submission.py"
.nv_intermediate_source_section {
}
"""


def test_what_is_read_from_ptx() -> None:
    made = read_compiled("name", PTX)
    assert (made.name, made.symbol, made.parameter_bytes) == ("name", "one", (8, 24))
    assert (made.block, made.cluster, made.shared_bytes) == ((256, 1, 1), (2, 1, 1), 65536)
    assert "intermediate" not in made.ptx and ".loc\t1 6 6" in made.ptx
    assert made.ptx.index(".extern .shared .align 128 .b8 global_smem_one[];") < made.ptx.index(".visible .entry")
    small = read_compiled("name", PTX.replace("65536", "1024"))
    assert small.shared_bytes == 0 and "global_smem_one[1024]" in small.ptx


def test_a_missing_compiler_says_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGRADE_PACKAGES", str(tmp_path))
    with pytest.raises(ToolMissing, match="tileiras, is not installed") as missing:
        find_compiler()
    assert f"--target {TILEIRAS.place} nvidia-cuda-tileiras==" in missing.value.hint
