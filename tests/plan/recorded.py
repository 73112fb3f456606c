"""What the tests of recording share: programs of .cu files, a device that only gives addresses, and expectations."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.compile.nvcc import compile_solve
from grader.compile.program import Program
from grader.compile.toolkit import find_nvcc, find_toolkit
from grader.core.errors import ToolMissing
from grader.core.plan import Step
from grader.core.report import KernelInfo
from grader.core.verdict import Form
from grader.languages.registry import language_of, read_submission
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.recorder import LibraryRecorder
from grader.plan.recording import Argument, Recording
from grader.problem import load_problem
from grader.sandbox import Sandbox
from tests.remembered import remembered

RECORDING = Path(__file__).parent.parent / "recording"
SIZE = 4000
ARGUMENTS = (
    Argument("A", "int64", 0x7F3000000000, SIZE),
    Argument("B", "int64", 0x7F3000100000, SIZE),
    Argument("C", "int64", 0x7F3000200000, SIZE),
    Argument("N", "int64", SIZE // 4),
)

"""Of `solve(const float* A, const float* B, float* C, int N)`: three arrays of 1000 elements."""


@dataclass
class Shelf:
    """A device without memory: allocations and variables have addresses, and all that is read are the same bytes."""

    byte: int = 0
    next: int = 0x7F4000000000
    reads: list[tuple[int, int, int]] = field(default_factory=list)
    added: list[Program] = field(default_factory=list)

    def allocate(self, size: int) -> int | None:
        address, self.next = self.next, self.next + size + 4096
        return address

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        self.added.append(program)
        return ()

    def time(self, steps: Sequence[Step]) -> float:
        return float(len(steps))

    def symbol(self, name: str) -> int | None:
        return self.allocate(4096)

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        self.reads.append((len(steps), address, size))
        return bytes([self.byte]) * size


@dataclass(frozen=True)
class Expected:
    """What the first lines of a file declare."""

    verdict: str
    fault: str
    says: str
    hint: str
    prints: str
    line: int | None


def expected_of(source: str) -> Expected:
    lines = source.splitlines()
    declared: dict[str, str] = {}
    for text in lines[:4]:
        key, _, value = text.removeprefix("// ").partition(": ")
        declared.setdefault(key, value)
    verdict, _, fault = declared["expect"].partition(" ")
    marked = [number for number, text in enumerate(lines, 1) if text.endswith("// <- here")]
    says, hint, prints = (declared.get(key, "") for key in ("says", "hint", "prints"))
    return Expected(verdict, fault, says, hint, prints, marked[0] if marked else None)


def gpu_table() -> DeviceTable:
    """That of an H200, as its driver answered."""
    rows = (RECORDING / "answers" / "h200_attributes.txt").read_text().splitlines()
    attributes = {int(number): int(value) for number, value in (row.split() for row in rows)}
    return DeviceTable("NVIDIA H200", 150 << 30, attributes)


def require_compiler() -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed (scripts/install-test-packages installs it)")
    try:
        find_toolkit()
    except ToolMissing as error:
        pytest.skip(f"{error.message} ({error.hint})")


def require_nvcc() -> None:
    require_compiler()
    try:
        find_nvcc()
    except ToolMissing as error:
        pytest.skip(f"{error.message} ({error.hint})")


def host_program(path: Path, folder: Path) -> Program:
    """A program without kernels, which g++ alone compiles, in a fifth of nvcc's time."""
    require_compiler()
    source = path.read_bytes()
    library = folder / f"{hashlib.sha256(source).hexdigest()}.so"
    includes = [f"-I{include}" for include in find_toolkit().includes]
    model = ["-mcmodel=large"] if b"8ull << 30" in source else []
    command = ["g++", "-x", "c++", "-std=c++17", "-g1", "-shared", "-fPIC", *model, *includes, str(path)]
    subprocess.run([*command, "-o", str(library)], check=True, timeout=60)
    return Program(Form.SOLVE, "compute_89", "", (), shared_object=library.read_bytes())


def nvcc_program(path: Path, cache: Path, target: str | None = None) -> Program:
    require_nvcc()
    source = path.read_text()
    with one_worker(cache, hashlib.sha256(source.encode()).hexdigest()):
        # Longer than for a submission: a busy machine compiles CUB for half a minute.
        return remembered(cache, compile_solve, source, path.name, time_limit=150.0, gpu_target=target)


def submitted_program(problem: str, path: Path, cache: Path) -> Program:
    """As it is compiled, and found in the cache, when the file is graded."""
    require_nvcc()
    of = load_problem(RECORDING.parents[1] / "problems" / problem)
    with one_worker(cache, path.stem):
        submission = read_submission(path)
        return language_of(submission).compile(of, submission, cache, None, Sandbox.find())


def shared_cache(factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests and all workers of a run: what it holds is found by its content.

    The recorder, whose key is all that it is built of, stays for the next run too where pytest keeps its runs together.
    """
    base = factory.getbasetemp()
    # Workers of one run have a folder each inside the run's own.
    run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = run / "recording"
    folder.mkdir(exist_ok=True)
    if run.parent.name.startswith("pytest-of-"):
        kept = run.parent / "kgrade-recorder"
        kept.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            (folder / "recorder").symlink_to(kept)
    return folder


@contextmanager
def one_worker(cache: Path, name: str) -> Iterator[None]:
    """One worker at a time does what has this name; the next finds it done in the cache."""
    with (cache / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def program_of(path: Path, cache: Path) -> Program:
    """By g++ where the file has no kernel."""
    return nvcc_program(path, cache) if "__global__" in path.read_text() else host_program(path, cache)


def record_it(
    program: Program,
    cache: Path,
    device: Shelf | None = None,
    table: DeviceTable = EMULATED,
    seconds: float = 20.0,
    sandbox: Sandbox | None = None,
    arguments: Sequence[Argument] = ARGUMENTS,
) -> Recording:
    box = sandbox or Sandbox.find()
    return LibraryRecorder(program, box, cache, seconds).record(arguments, table, device or Shelf())
