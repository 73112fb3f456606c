"""Recordings of launch code as people write it: each file of tests/recording/working and its plan."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.core.plan import (
    ALL_STREAMS,
    NON_BLOCKING,
    Alloc,
    Copy,
    Free,
    Launch,
    Memset,
    RecordEvent,
    Step,
    Synchronize,
    Upload,
    WaitEvent,
)
from grader.plan.recorder import LibraryRecorder
from grader.plan.recording import Argument, Recording, with_lines
from grader.plan.stopped import RecordingStopped
from grader.sandbox import Sandbox
from tests.plan.recorded import ARGUMENTS, RECORDING, Shelf, gpu_table, nvcc_program, record_it, submitted_program

A, B, C = (argument.bits for argument in ARGUMENTS[:3])


@pytest.fixture
def recorded(cache: Path) -> Callable[..., Recording]:
    def record(name: str, device: Shelf | None = None) -> Recording:
        return record_it(nvcc_program(RECORDING / "working" / f"{name}.cu", cache), cache, device)

    return record


def kinds(recording: Recording) -> list[type[Step]]:
    return [type(step) for step in recording.plan.steps]


def launches(recording: Recording) -> list[Launch]:
    return [step for step in recording.plan.steps if isinstance(step, Launch)]


def test_kernels_scratch_and_a_memset(recorded: Callable[..., Recording], cache: Path) -> None:
    recording = recorded("plain")
    assert kinds(recording) == [Alloc, Memset, Launch, Launch, Synchronize, Free]
    alloc, memset, first, second, _, free = recording.plan.steps
    assert isinstance(alloc, Alloc) and free == Free(alloc.address)
    assert memset == Memset(C, 0, 4000)
    assert first == Launch(
        "_Z6squarePKfPfi",
        (4, 1, 1),
        (256, 1, 1),
        0,
        (struct.pack("<Q", A), struct.pack("<Q", alloc.address), struct.pack("<i", 1000)),
    )
    assert isinstance(second, Launch) and second.arguments[2] == struct.pack("<Q", C)
    assert (recording.reads, recording.executed, recording.leaked, recording.errors) == (0, 0, (), ())


def test_lines_are_those_of_the_launches(recorded: Callable[..., Recording], cache: Path) -> None:
    source = RECORDING / "working" / "plain.cu"
    recording = recorded("plain")
    program = nvcc_program(source, cache)
    wanted = [n for n, text in enumerate(source.read_text().splitlines(), 1) if "// <- " in text]
    lines = LibraryRecorder(program, Sandbox.find(), cache).lines
    shown = with_lines(recording, lines)
    assert [launch.line for launch in launches(shown)] == wanted
    assert len(lines(recording.at)) == len(recording.plan.steps)


def test_copies_of_every_kind(recorded: Callable[..., Recording]) -> None:
    device = Shelf(byte=0)
    recording = recorded("copies", device)
    steps = recording.plan.steps
    uploads = [step for step in steps if isinstance(step, Upload)]
    assert uploads[0].data == struct.pack("<4f", 1, 2, 3, 4)
    assert [len(upload.data) for upload in uploads] == [16, 4, 120]
    scratch = next(step for step in steps if isinstance(step, Alloc))
    assert scratch.size == 3 * 512
    copies = [step for step in steps if isinstance(step, Copy)]
    assert copies[:3] == [Copy(scratch.address + 512 * row, A + 40 * row, 40) for row in range(3)]
    assert copies[3] == Copy(C, A, 16)
    boxes = [(0, 0), (32, 16), (64, 32), (96, 48)]
    assert copies[4:] == [Copy(scratch.address + to, A + source, 16) for to, source in boxes]
    assert [step for step in steps if isinstance(step, Memset)] == [
        Memset(scratch.address + 512 * row, 1, 40) for row in range(3)
    ]
    assert [size for _, _, size in device.reads] == [40, 40, 40, 4]
    assert recording.read_bytes == 124
    # What solve() saw was zero, so that the launch is the one for it.
    assert launches(recording)[0].arguments[2] == struct.pack("<i", 1000)


def test_streams_and_events(recorded: Callable[..., Recording]) -> None:
    recording = recorded("streams")
    assert kinds(recording) == [
        Alloc, RecordEvent, Launch, RecordEvent, WaitEvent, Launch, RecordEvent, WaitEvent, Synchronize, Free,
        Synchronize,
    ]  # fmt: skip
    first, second = launches(recording)
    other = NON_BLOCKING + 2
    assert (first.stream, second.stream) == (1, other)
    assert recording.plan.steps[3:5] == (RecordEvent(1, 1), WaitEvent(1, other))
    assert recording.plan.steps[7] == WaitEvent(3, ALL_STREAMS)
    # By asking for it the host has waited, too.
    assert recording.plan.steps[8] == Synchronize(other) and recording.plan.steps[10] == Synchronize(1)
    assert recording.printed == "no time passes\n"


def test_a_captured_graph_is_launched_again(recorded: Callable[..., Recording]) -> None:
    recording = recorded("graphs")
    one = [RecordEvent, WaitEvent, Launch, Launch, RecordEvent, WaitEvent]
    assert kinds(recording) == [*one * 3, Synchronize]
    # The branch is one of the graph's own, with which the stream that was captured has nothing to do.
    assert [launch.stream for launch in launches(recording)] == [NON_BLOCKING + 3, 1] * 3


def test_a_cooperative_launch_fills_the_gpu(recorded: Callable[..., Recording]) -> None:
    together, ordinary = launches(recorded("cooperative"))
    assert (together.grid, together.block, together.cooperative) == ((72, 1, 1), (512, 1, 1), True)
    assert ordinary.grid[0] * ordinary.block[0] == 24 * 1536 and not ordinary.cooperative


def test_a_cluster_and_tensor_maps(cache: Path) -> None:
    program = nvcc_program(RECORDING / "working" / "clusters.cu", cache, "sm_90")
    (launch,) = launches(record_it(program, cache, table=gpu_table()))
    assert (launch.cluster, launch.grid) == ((2, 1, 1), (4, 1, 1))
    first, second = launch.tensor_maps
    assert (first.argument, first.offset, second.argument) == (0, 0, 1)
    # By the alignment of a CUtensorMap in CUDA 12 and 13.
    assert second.offset in (64, 128)
    assert [placed.tensor_map.address for placed in launch.tensor_maps] == [A, B]
    assert launch.tensor_maps[0].tensor_map.dims == (40, 25)
    assert launch.arguments[0] == bytes(128)
    assert launch.arguments[1][:4] == struct.pack("<i", 25)


def test_a_gpu_without_clusters_refuses_them(cache: Path) -> None:
    program = nvcc_program(RECORDING / "working" / "clusters.cu", cache, "sm_90")
    with pytest.raises(RecordingStopped, match="this GPU has no clusters"):
        record_it(program, cache)


def test_a_cluster_that_the_kernel_declares(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "declares.cu"
    path.write_text(
        "__global__ void __cluster_dims__(2, 1, 1) copy(const float* A, float* C) { C[blockIdx.x] = A[blockIdx.x]; }\n"
        'extern "C" void solve(const float* A, const float* B, float* C, int N) { copy<<<N, 1>>>(A, C); }\n'
    )
    program = nvcc_program(path, cache, "sm_90")
    (launch,) = launches(record_it(program, cache, table=gpu_table()))
    assert launch.grid == (1000, 1, 1)
    odd = [*ARGUMENTS[:3], Argument("N", "int64", 3)]
    with pytest.raises(
        RecordingStopped, match="'a kernel launch error has occurred due to cluster misconfig"
    ) as raised:
        record_it(program, cache, table=gpu_table(), arguments=odd)
    assert "cluster (2, 1, 1) (__cluster_dims__) with grid (3, 1, 1)" in raised.value.message
    assert raised.value.line == 2


def test_without_a_sandbox_the_plan_is_the_same(recorded: Callable[..., Recording], cache: Path) -> None:
    program = nvcc_program(RECORDING / "working" / "plain.cu", cache)
    assert record_it(program, cache, sandbox=Sandbox(None)).plan == recorded("plain").plan


def test_shared_memory_that_was_asked_for(recorded: Callable[..., Recording]) -> None:
    (launch,) = launches(recorded("shared"))
    assert launch.shared_bytes == 64 << 10


@pytest.mark.parametrize("found", [0, 3])
def test_host_code_decides_by_what_it_reads(recorded: Callable[..., Recording], found: int) -> None:
    class Counted(Shelf):
        def read(self, steps: object, address: int, size: int) -> bytes:
            self.reads.append((len(steps), address, size))  # type: ignore[arg-type]
            return struct.pack("<i", found)

    device = Counted()
    recording = recorded("steered", device)
    assert [launch.kernel for launch in launches(recording)] == ["_Z5countPKfPii"] + ["_Z4fillPfii"] * found
    # With the read's place in the order of steps, and the host's wait for it.
    assert device.reads[0][0] == recording.executed == 5
    assert (recording.reads, recording.read_bytes) == (1, 4)


def test_a_failed_launch_may_be_mended(recorded: Callable[..., Recording]) -> None:
    recording = recorded("handled")
    assert [launch.grid for launch in launches(recording)] == [(2, 1, 1)]
    (error,) = recording.errors
    assert error.words in ("invalid argument", "invalid configuration argument")


def test_cub_and_thrust(cache: Path) -> None:
    # Of the files that tests/test_solve_files.py grades: CUB and Thrust take nvcc ten seconds.
    folder, arguments = RECORDING.parent / "solve" / "device_wide_algorithms", (*ARGUMENTS[:2], ARGUMENTS[3])
    recording = record_it(submitted_program("reduce", folder / "cub.cu", cache), cache, arguments=arguments)
    counted = Counter(kinds(recording))
    assert counted[Launch] == 3 and counted[Alloc] == counted[Free] == 3
    recording = record_it(submitted_program("map", folder / "thrust.cu", cache), cache, arguments=arguments)
    counted = Counter(kinds(recording))
    assert counted[Launch] == 2 and counted[Alloc] == counted[Free] >= 1
    assert (recording.reads, recording.read_bytes) == (1, 4)


def test_recording_is_quick(recorded: Callable[..., Recording]) -> None:
    recorded("plain")
    # One of these, for other tests run beside it.
    assert any(recorded("plain").seconds < 0.1 for _ in range(20))


def test_scratch_that_is_not_freed_is_told(cache: Path, tmp_path: Path) -> None:
    source = (RECORDING / "working" / "steered.cu").read_text().replace("    cudaFree(found);\n", "")
    path = tmp_path / "leaks.cu"
    path.write_text(source)
    recording = record_it(nvcc_program(path, cache), cache)
    assert [leaked.size for leaked in recording.leaked] == [4]
