"""Occupancy: the arithmetic on SMs whose limits are known, and against the driver where there is a GPU."""

from __future__ import annotations

import pytest

from grader.machine.gpus import find_gpus
from grader.run.gpu.occupancy import (
    BlockNeeds,
    SmLimits,
    block_limits,
    describe_launch,
    limited_by,
    occupancy_of,
    sm_limits,
)

TURING = SmLimits(1024, 16, 65536, 4, 65536, 0, 256)
AMPERE_86 = SmLimits(1536, 16, 65536, 4, 102400, 1024, 128)
HOPPER = SmLimits(2048, 32, 65536, 4, 233472, 1024, 128)


@pytest.mark.parametrize(
    ("needs", "limits", "blocks", "occupancy", "limit"),
    [
        (BlockNeeds(256, 32, 0), HOPPER, 8, 1.0, ""),
        # 33 registers take the room of 40: 12 warps a partition.
        (BlockNeeds(256, 33, 0), HOPPER, 6, 0.75, "registers"),
        (BlockNeeds(1024, 40, 0), HOPPER, 1, 0.5, "registers"),
        (BlockNeeds(256, 255, 0), HOPPER, 1, 0.125, "registers"),
        (BlockNeeds(128, 16, 100 << 10), HOPPER, 2, 0.125, "shared memory"),
        # One byte more than what a block may have beside three others, with the reserved kilobyte.
        (BlockNeeds(128, 16, 233472 // 4 - 1024), HOPPER, 4, 0.25, "shared memory"),
        (BlockNeeds(128, 16, 233472 // 4 - 1023), HOPPER, 3, 0.1875, "shared memory"),
        (BlockNeeds(96, 16, 0), HOPPER, 21, 63 / 64, "threads"),
        (BlockNeeds(1, 16, 0), HOPPER, 32, 0.5, "blocks"),
        (BlockNeeds(1024, 32, 0), AMPERE_86, 1, 2 / 3, "threads"),
        (BlockNeeds(64, 32, 0), AMPERE_86, 16, 2 / 3, "blocks"),
        (BlockNeeds(1024, 64, 0), TURING, 1, 1.0, ""),
        (BlockNeeds(64, 0, 0), TURING, 16, 1.0, ""),
        (BlockNeeds(64, 0, 4097), TURING, 15, 0.9375, "shared memory"),
    ],
)
def test_blocks_and_their_limit(needs: BlockNeeds, limits: SmLimits, blocks: int, occupancy: float, limit: str) -> None:
    assert min(block_limits(needs, limits).values()) == blocks
    assert occupancy_of(blocks, needs, limits) == pytest.approx(occupancy)
    assert limited_by(blocks, needs, limits) == limit


def test_of_two_that_end_together_the_kernels_own_need_is_named() -> None:
    needs = BlockNeeds(704, 40, 0)
    assert block_limits(needs, HOPPER) == {"registers": 2, "shared memory": 228, "threads": 2, "blocks": 32}
    assert limited_by(2, needs, HOPPER) == "registers"


def test_fewer_blocks_than_any_of_the_four_allows_are_blamed_on_none() -> None:
    assert limited_by(5, BlockNeeds(256, 32, 0), HOPPER) == ""


SOURCE = """
extern "C" __global__ void little(float* a) { a[threadIdx.x] = 1.0f; }

extern "C" __global__ void shared(float* a) {
    __shared__ float tile[5000];
    for (int i = threadIdx.x; i < 5000; i += blockDim.x) tile[i] = a[i];
    __syncthreads();
    a[threadIdx.x] = tile[4999 - threadIdx.x];
}

extern "C" __global__ void many_registers(float* a) {
    float x[100];
    #pragma unroll
    for (int i = 0; i < 100; i++) x[i] = a[i * 1024 + threadIdx.x];
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 100; i++) a[i * 1024 + threadIdx.x] = x[i] * x[99 - i];
}

extern "C" __global__ void dynamic(float* a) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def functions():
    """Four loaded kernels by name."""
    import cupy
    from cupy.cuda import driver, runtime

    from grader.run.gpu.device_code import compile_cubin

    runtime.setDevice(0)
    runtime.free(0)
    module = driver.moduleLoadData(compile_cubin(SOURCE, cupy.cuda.Device().compute_capability))
    names = ("little", "shared", "many_registers", "dynamic")
    yield {name: driver.moduleGetFunction(module, name) for name in names}
    driver.moduleUnload(module)


@pytest.mark.gpu
@pytest.mark.skipif(not find_gpus(), reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu")
@pytest.mark.parametrize("threads", [1, 32, 96, 100, 256, 480, 512])
@pytest.mark.parametrize(
    ("kernel", "dynamic"),
    [("little", 0), ("shared", 0), ("many_registers", 0), ("dynamic", 4096), ("dynamic", 20_000), ("dynamic", 60_000)],
)
def test_the_arithmetic_agrees_with_the_driver(functions, kernel: str, dynamic: int, threads: int) -> None:
    from cupy.cuda import driver

    function = functions[kernel]
    occupancy, limit = describe_launch(function, threads, dynamic)
    registers = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_NUM_REGS, function)
    static = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)
    needs, limits = BlockNeeds(threads, registers, static + dynamic), sm_limits(0)
    blocks = min(block_limits(needs, limits).values())
    assert driver.occupancyMaxActiveBlocksPerMultiprocessor(function, threads, dynamic) == blocks
    assert occupancy == occupancy_of(blocks, needs, limits)
    assert limit == limited_by(blocks, needs, limits)
    assert bool(limit) == (occupancy < 1)


@pytest.mark.gpu
@pytest.mark.skipif(not find_gpus(), reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu")
def test_what_stops_a_higher_occupancy_is_named(functions) -> None:
    assert describe_launch(functions["dynamic"], 32, 60_000)[1] == "shared memory"
    assert describe_launch(functions["many_registers"], 256, 0)[1] == "registers"
    assert describe_launch(functions["little"], 32, 0)[1] == "blocks"
