"""A Trace made by hand: what block (2,0,0) of a small kernel does, whose device function is called in a loop."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.replay.model import (
    GLOBAL,
    SHARED,
    SPACES,
    VARIABLE,
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
from grader.replay.trace import Trace

SOURCE = """\
__device__ float scaled(float x) {
    return x * 2.0f;
}

// Adds a[i] twice for each k.
__global__ void scale(const float* a, float* C, int N) {
    __shared__ float tile[5][8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair pair;
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        sum += scaled(a[i]);
        pair.count = k + 1;
    }
    tile[threadIdx.x / 8][threadIdx.x % 8] = sum;
    __syncthreads();
    C[i] = sum;
}
"""
BLOCK_DIM, BLOCK, N = 40, 2, 115
A_AT, C_AT, TILE_AT = 0x8000_0000_0000, 0x9000_0000_0000, 0x18_0080_0000

INT, FLOAT, IN_POINTER, OUT_POINTER, PAIR, PAIR_WEIGHTS, BYTE = range(7)
TYPES = (
    Type("int", "scalar", 4, encoding="signed"),
    Type("float", "scalar", 4, encoding="float"),
    Type("const float*", "pointer", 8, element=FLOAT),
    Type("float*", "pointer", 8, element=FLOAT),
    Type("Pair", "struct", 12, members=(Member("count", INT, 0), Member("weights", PAIR_WEIGHTS, 4))),
    Type("float[2]", "array", 8, element=FLOAT, count=2),
    Type("unsigned char", "scalar", 1, encoding="unsigned"),
)
X, A, C, N_OF, INDEX, SUM, K, PAIR_OF, TILE = range(9)
SCALED, SCALE = range(2)
VARIABLES = (
    Variable("x", FLOAT, SCALED, 0, 1, 1, 3, "parameter"),
    Variable("a", IN_POINTER, SCALE, 0, 6, 6, 18, "parameter", initial=A_AT),
    Variable("C", OUT_POINTER, SCALE, 0, 6, 6, 18, "parameter", initial=C_AT),
    Variable("N", INT, SCALE, 0, 6, 6, 18, "parameter", initial=N),
    Variable("i", INT, SCALE, 0, 8, 8, 18, "local"),
    Variable("sum", FLOAT, SCALE, 0, 10, 10, 18, "local"),
    Variable("k", INT, SCALE, 0, 11, 11, 14, "local"),
    Variable("pair", PAIR, SCALE, 0, 9, 9, 18, "local"),
    Variable("tile", FLOAT, SCALE, 0, 7, 7, 18, "shared", shared=0),
)


def bits(number: float) -> int:
    """The bits of a float."""
    found: int = struct.unpack("<I", struct.pack("<f", number))[0]
    return found


class Maker:
    """Collects the columns of a Trace."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, ...]] = []
        self.writes: list[tuple[int, ...]] = []
        self.reads: list[tuple[int, ...]] = []
        self.waits: list[tuple[int, ...]] = []

    def step(self, warp: int, mask: int, line: int, function: int = SCALE, parent: int = -1) -> int:
        """Adds a step and returns its number."""
        depth = 0 if parent < 0 else self.steps[parent][5] + 1
        self.steps.append((warp, mask, 0, line, function, depth, parent))
        return len(self.steps) - 1

    def write(self, step: int, thread: int, space: str, target: int, offset: int, value: int, size: int = 4) -> None:
        call = self.steps[step][6] if space == VARIABLE else -1
        self.writes.append((step, thread, SPACES.index(space), target, offset, size, value, call))

    def read(self, step: int, thread: int, space: str, target: int, offset: int, value: int, size: int = 4) -> None:
        self.reads.append((step, thread, SPACES.index(space), target, offset, size, value, -1))


def columns(kind: type, rows: list[tuple[int, ...]]) -> Any:
    """The columns of rows, in the order of the fields."""
    names = list(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    return kind(
        **{
            name: np.array([row[at] for row in rows], np.uint64 if name == "value" else np.int64)
            for at, name in enumerate(names)
        }
    )


def warp_lines(make: Maker, warp: int, lanes: int, loops: int) -> Iterator[None]:
    """The steps of one warp; yields where another warp may have its turn."""
    mask, threads = (1 << lanes) - 1, [warp * 32 + lane for lane in range(lanes)]
    indices = {t: BLOCK * BLOCK_DIM + t for t in threads}
    at = make.step(warp, mask, 8)
    for t in threads:
        make.write(at, t, VARIABLE, INDEX, 0, indices[t])
    at = make.step(warp, mask, 10)
    for t in threads:
        make.write(at, t, VARIABLE, SUM, 0, 0)
    yield
    for k in range(loops):
        at = make.step(warp, mask, 11)
        for t in threads:
            make.write(at, t, VARIABLE, K, 0, k)
        call = make.step(warp, mask, 12)
        for t in threads:
            make.read(call, t, GLOBAL, 0, 4 * indices[t], bits(indices[t]))
        inside = make.step(warp, mask, 1, SCALED, call)
        for t in threads:
            make.write(inside, t, VARIABLE, X, 0, bits(indices[t]))
        make.step(warp, mask, 2, SCALED, call)
        rest = make.step(warp, mask, 12)
        for t in threads:
            make.write(rest, t, VARIABLE, SUM, 0, bits(2.0 * indices[t] * (k + 1)))
        at = make.step(warp, mask, 13)
        for t in threads:
            make.write(at, t, VARIABLE, PAIR_OF, 0, k + 1)
        yield
    at = make.step(warp, mask, 15)
    for t in threads:
        make.write(at, t, SHARED, 0, 4 * t, bits(2.0 * indices[t] * loops))
    at = make.step(warp, mask, 16)
    make.waits.append((at, warp, mask, 0, 0))
    yield
    if warp == 1:
        for each, members in ((0, (1 << 32) - 1), (1, (1 << 8) - 1)):
            make.waits.append((at, each, members, 1, 0))
    yield
    stored = [t for t in threads if indices[t] < N]
    at = make.step(warp, mask, 17)
    for t in stored:
        make.write(at, t, GLOBAL, 1, 4 * indices[t], bits(2.0 * indices[t] * loops))
    if len(stored) == len(threads):
        make.waits.append((at, warp, mask, 2, -1))


def made_trace(loops: int = 3) -> Trace:
    """Both warps in turns. Thread (35,0,0), number 35 of the block, writes past the end of C in line 17: a fault."""
    make = Maker()
    warps = [warp_lines(make, 0, 32, loops), warp_lines(make, 1, 8, loops)]
    # Each has its turn until both have ended.
    while [warp for warp in warps if next(warp, "ended") != "ended"]:
        pass
    last = len(make.steps) - 1
    near = range(BLOCK * BLOCK_DIM - 8, N)
    return Trace(
        problem="scaling",
        kernel="scale",
        grid=(3, 1, 1),
        block_dim=(BLOCK_DIM, 1, 1),
        block=(BLOCK, 0, 0),
        blocks=((BLOCK, 0, 0),),
        sizes={"N": N},
        seed=7,
        remarks=("This build has -G: without it the compiler may change the order of lines.",),
        files=(SourceFile("scale.cu", tuple(SOURCE.splitlines())),),
        functions=(Function("scaled", 0, 1, 3), Function("scale", 0, 6, 18)),
        types=TYPES,
        variables=VARIABLES,
        shared=(SharedArray("tile", FLOAT, 0, (5, 8), TILE_AT),),
        arrays=(
            GlobalArray("a", FLOAT, (N,), "input", {at: bits(at) for at in near}, address=A_AT),
            GlobalArray("C", FLOAT, (N,), "output", address=C_AT),
        ),
        marks=(Mark("fault", f"C[{N}] is past the end of C", last, 35, array="C", index=N, space=GLOBAL),),
        steps=columns(Steps, make.steps),
        writes=columns(Accesses, make.writes),
        reads=columns(Accesses, make.reads),
        waits=columns(Waits, sorted(make.waits)),
    )
