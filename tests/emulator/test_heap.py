"""The heap by itself: blocks of any size, in any order, and what of it lasts from launch to launch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.run.emulator import LaunchResult, Memory, Module
from grader.run.emulator.heap import GAP, HEAP_BYTES, Heap, Run, runs

from .harness import compile_ptx

SIZES = st.integers(1, 40) | st.sampled_from([1000, 1 << 16, 1 << 20, 3 << 20])
STEPS = st.lists(
    st.tuples(SIZES, st.sampled_from([1, 16, 64, 512])) | st.integers(0, 1 << 30), min_size=1, max_size=200
)


def heap() -> Heap:
    def nothing(run: Run) -> None:
        """Nobody watches."""

    return Heap(lambda slot, size: None, nothing, nothing)


def one(memory: Heap, size: int, align: int = 16) -> int:
    (address,) = memory.give([(size, align)])
    return address


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_blocks_never_meet(steps: list[tuple[int, int] | int]) -> None:
    memory = heap()
    live: dict[int, int] = {}
    for step in steps:
        if isinstance(step, int):
            if live:
                address = sorted(live)[step % len(live)]
                assert memory.take([address, 0]) == ["", ""]
                del live[address]
            continue
        size, align = step
        address = one(memory, size, align)
        if not address:
            assert sum(live.values()) + size > HEAP_BYTES // 2
            continue
        assert address % max(align, 16) == 0
        assert all(address + size + GAP <= a or a + s + GAP <= address for a, s in live.items())
        live[address] = size


def test_all_of_it_can_be_had() -> None:
    memory = heap()
    assert one(memory, HEAP_BYTES)
    assert not one(memory, 1)
    pieces = heap()
    assert all(one(pieces, 64) for _ in range(HEAP_BYTES // 64))
    assert not one(pieces, 64)


def test_what_nobody_can_have_is_null() -> None:
    assert heap().give([(0, 16), (HEAP_BYTES + 1, 16), ((1 << 64) - 1, 16), (8, 24)]) == [0, 0, 0, 0]


def test_what_came_back_is_given_again() -> None:
    memory = heap()
    held = [one(memory, 48) for _ in range(100)]
    for _ in range(4000):
        address = one(memory, HEAP_BYTES // 3)
        assert address and memory.take([address]) == [""]
    assert memory.take(held) == [""] * 100


def test_what_is_no_block_is_told() -> None:
    memory = heap()
    first, second = memory.give([(40, 16), (1, 16)])
    assert memory.take([first + 4, 1 << 45]) == [
        "free() of an address 4 bytes into what malloc() or new gave",
        "free() of an address that malloc() or new did not give",
    ]
    assert memory.take([second, second]) == ["", "free() of 1 byte that were given back before"]


def test_the_nearer_block_is_meant() -> None:
    memory = heap()
    first, second = memory.give([(40, 16), (24, 16)])
    for address, wanted in ((first + 8, first), (first + 40, first), (second - 4, second), (second + 24, second)):
        block = memory.nearest(address)
        assert block is not None and block.address == wanted


def test_runs_are_of_adjacent_blocks() -> None:
    memory = heap()
    memory.prepare(whole=False)
    blocks = [memory.nearest(address) for address in memory.give([(4, 16), (20, 16), (4, 256), (4, 16)])]
    assert [len(run.blocks) for run in runs(block for block in blocks if block is not None)] == [2, 2]


SOURCE = """
__device__ int* kept[64];
extern "C" __global__ void make(int* out, int n) {
    int* own = kept[threadIdx.x] = new int[n];
    for (int j = 1; j < n; ++j) own[j] = j;
}
extern "C" __global__ void use(int* out, int n) { out[threadIdx.x] = kept[threadIdx.x][n - 1]; }
extern "C" __global__ void unset(int* out, int n) { out[threadIdx.x] = kept[threadIdx.x][0]; }
extern "C" __global__ void over(int* out, int n) { out[threadIdx.x] = kept[threadIdx.x][n]; }
extern "C" __global__ void away(int* out, int n) { delete[] kept[threadIdx.x]; }
"""
BYTES = """
extern "C" __global__ void bytes(unsigned char* out, int n) {
    unsigned char* own = new unsigned char[n];
    own[0] = 1;
    out[threadIdx.x] = own[0];
    delete[] own;
}
"""


class Launches:
    """Launches of one block of 64 threads on one memory."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.out = self.memory.place("out", np.zeros(64, "i4"))
        ptx = compile_ptx(SOURCE, "heap.cu")
        self.module = Module(ptx, sanitize=True)
        self.bytes = Module(compile_ptx(BYTES, "bytes.cu"), sanitize=True)

    def run(self, kernel: str, module: Module | None = None, blocks: int = 1) -> LaunchResult:
        arguments = [self.out.to_bytes(8, "little"), np.int32(10).tobytes()]
        return (module or self.module).launch(kernel, (blocks, 1, 1), (64, 1, 1), arguments, self.memory)

    def faults(self, kernel: str) -> list[str]:
        return [fault.kind for fault in self.run(kernel).faults]


def test_blocks_last_from_launch_to_launch() -> None:
    launches = Launches()
    assert launches.run("make").status == launches.run("use").status == "done"
    assert launches.faults("unset") == ["uninitialized_read"]
    assert launches.faults("over") == ["out_of_bounds"]
    assert launches.run("away").status == "done"
    fault = launches.run("use").fault
    assert fault is not None
    assert (
        "4 bytes in memory that has been freed: the 40 bytes that malloc() or new gave: index 9 of 10" in fault.message
    )


def test_accesses_of_other_sizes_change_nothing() -> None:
    launches = Launches()
    assert launches.run("make").status == "done"
    assert launches.run("bytes", launches.bytes).status == "done"
    assert launches.run("use").status == "done"
    assert launches.faults("over") == ["out_of_bounds"]


def test_launches_without_checks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    launches = Launches()
    with monkeypatch.context() as patch:
        patch.setattr("grader.run.emulator.module.SANITIZED_THREADS", 0)
        assert launches.run("make").status == "done"
    assert launches.run("use").status == launches.run("unset").status == "done"
    assert launches.faults("over") == ["out_of_bounds"]
    with monkeypatch.context() as patch:
        patch.setattr("grader.run.emulator.module.SANITIZED_THREADS", 0)
        assert launches.run("away").status == "done"
    assert launches.faults("use") == ["out_of_bounds"]


def test_what_nobody_wrote_is_filled() -> None:
    launches = Launches()
    launches.memory.fill = 0xFF
    assert launches.run("make").status == "done"
    launches.run("unset")
    np.testing.assert_array_equal(launches.memory.read("out"), -1)


@pytest.mark.parametrize("options", [{"count": True}, {"values": True}, {"quick": True}])
def test_the_heap_of_other_modules(options: dict[str, bool]) -> None:
    launches = Launches()
    module = Module(compile_ptx(SOURCE, "heap.cu"), **options)
    assert [launches.run(kernel, module).status for kernel in ("make", "use", "away")] == ["done"] * 3
    np.testing.assert_array_equal(launches.memory.read("out"), 9)
