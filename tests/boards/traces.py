"""Traces of a tiled kernel with a mistake, made by a small interpreter of it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader.replay.model import (
    ARRIVE,
    DEADLOCK,
    EXIT,
    FIRST_WRONG_WRITE,
    LANES,
    RACE,
    RELEASE,
    SPACES,
    WAITS,
    Accesses,
    Function,
    GlobalArray,
    Mark,
    SharedArray,
    SourceFile,
    Steps,
    Type,
    Variable,
    Waits,
)
from grader.replay.trace import Trace

TILE, N = 8, 9
SOURCE = """\
#define TILE 8

__global__ void multiply(const float* A, float* C, int N) {
    __shared__ float tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0.0f;
    for (int start = 0; start < N; start += TILE) {
        tile[y][x] = start + x < N ? A[y * N + start + x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile[y ^ 4][k];
        // A __syncthreads() is missing here.
    }
    C[y * N + x] = sum;
}
"""
FLOAT, INT, POINTER = range(3)
TYPES = (
    Type("float", "scalar", 4, encoding="float"),
    Type("int", "scalar", 4, encoding="signed"),
    Type("float*", "pointer", 8, element=FLOAT),
)
VARIABLES = tuple(
    Variable(name, kind, 0, 0, line, line, 14, storage, initial)
    for name, kind, line, storage, initial in (
        ("N", INT, 3, "parameter", N),
        ("x", INT, 5, "local", None),
        ("y", INT, 5, "local", None),
        ("sum", FLOAT, 6, "local", None),
        ("start", INT, 7, "local", None),
        ("A", POINTER, 3, "parameter", 0x7F0000000000),
    )
)
V = {variable.name: at for at, variable in enumerate(VARIABLES)}
SHARED, GLOBAL = SPACES.index("shared"), SPACES.index("global")
BARRIER = "barrier"


def bits(value: float | int) -> int:
    return value if isinstance(value, int) else int(struct.unpack("<I", struct.pack("<f", value))[0])


@dataclass
class Recorder:
    """Runs warps in turn, each up to its next barrier, and notes what they do."""

    steps: list[tuple[int, ...]] = field(default_factory=list)
    writes: list[tuple[int, ...]] = field(default_factory=list)
    reads: list[tuple[int, ...]] = field(default_factory=list)
    waits: list[tuple[int, ...]] = field(default_factory=list)
    tile: np.ndarray[tuple[int, int], np.dtype[np.float32]] = field(
        default_factory=lambda: np.zeros((TILE, TILE), np.float32)
    )

    def step(self, warp: int, line: int, mask: int = 0xFFFFFFFF) -> None:
        self.steps.append((warp, mask, 0, line, 0, 0, -1))

    def wrote(self, thread: int, space: int, target: int, offset: int, value: float | int) -> None:
        self.writes.append((len(self.steps) - 1, thread, space, target, offset, 4, bits(value)))

    def read(self, thread: int, space: int, target: int, offset: int, value: float | int) -> None:
        self.reads.append((len(self.steps) - 1, thread, space, target, offset, 4, bits(value)))

    def wait(self, warp: int, kind: str, mask: int = 0xFFFFFFFF) -> None:
        self.waits.append((len(self.steps) - 1, warp, mask, WAITS.index(kind), -1 if kind == EXIT else 0))

    def warp(self, warp: int, *, transposed: bool = False, in_branch: bool = False) -> Iterator[str]:
        """One warp, step by step; it stops at each barrier."""
        threads = range(warp * LANES, (warp + 1) * LANES)
        sums = dict.fromkeys(threads, 0.0)
        self.step(warp, 5)
        for thread in threads:
            self.wrote(thread, 0, V["x"], 0, thread % TILE)
            self.wrote(thread, 0, V["y"], 0, thread // TILE)
        self.step(warp, 6)
        for thread in threads:
            self.wrote(thread, 0, V["sum"], 0, 0.0)
        for start in range(0, N, TILE):
            self.step(warp, 7)
            for thread in threads:
                self.wrote(thread, 0, V["start"], 0, start)
            self.step(warp, 8)
            for thread in threads:
                y, x = divmod(thread, TILE)
                value = 0.0
                if start + x < N:
                    value = float(y * N + start + x)
                    self.read(thread, GLOBAL, 0, 4 * (y * N + start + x), value)
                self.wrote(thread, SHARED, 0, 4 * thread, value)
                self.tile[y, x] = value
            mask = 0xFFFF if in_branch else 0xFFFFFFFF
            self.step(warp, 9, mask)
            self.wait(warp, ARRIVE, mask)
            yield BARRIER
            for k in range(TILE):
                self.step(warp, 10)
                for thread in threads:
                    y = thread // TILE ^ 4
                    self.read(thread, SHARED, 0, 4 * (y * TILE + k), float(self.tile[y, k]))
                    sums[thread] += float(self.tile[y, k])
                    self.wrote(thread, 0, V["sum"], 0, sums[thread])
        self.step(warp, 13)
        for thread in threads:
            y, x = divmod(thread, TILE)
            self.wrote(thread, GLOBAL, 1, 4 * (x * N + y if transposed else y * N + x), sums[thread])
        self.wait(warp, EXIT)

    def columns(self, kind: type, names: str, rows: list[tuple[int, ...]]) -> Any:
        return kind(
            **{
                name: np.array([row[at] for row in rows], np.uint64 if name == "value" else np.int64)
                for at, name in enumerate(names.split())
            }
        )

    def accesses(self, rows: list[tuple[int, ...]]) -> Accesses:
        return self.columns(Accesses, "step thread space target offset size value call", [(*row, -1) for row in rows])

    def trace(self, *marks: Mark) -> Trace:
        elements = {at: bits(float(at)) for at in range(TILE * N)}
        return Trace(
            problem="made_up",
            kernel="multiply",
            grid=(1, 1, 1),
            block_dim=(TILE, TILE, 1),
            block=(0, 0, 0),
            blocks=((0, 0, 0),),
            sizes={"N": N},
            remarks=("It is built with debug information, which keeps every variable.",),
            files=(SourceFile("multiply.cu", tuple(SOURCE.splitlines())),),
            functions=(Function("multiply", 0, 3, 14),),
            types=TYPES,
            variables=VARIABLES,
            shared=(SharedArray("tile", FLOAT, 0, (TILE, TILE)),),
            arrays=(
                GlobalArray("A", FLOAT, (N, N), "input", elements),
                GlobalArray("C", FLOAT, (N, N), "output", {}, {3: 30.0}),
            ),
            marks=marks,
            steps=self.columns(Steps, "warp mask file line function depth parent", self.steps),
            writes=self.accesses(self.writes),
            reads=self.accesses(self.reads),
            waits=self.columns(Waits, "step warp mask kind barrier", self.waits),
        )


def race() -> Trace:
    """Warp 0 fills the tile anew while warp 1 still reads it."""
    made = Recorder()
    _run(made)
    writes = [row for row in made.writes if row[2] == SHARED and row[4] == 0]
    reads = [row for row in made.reads if row[2] == SHARED and row[4] == 0]
    write, read = writes[-1], reads[0]
    first, second = sorted((write, read))
    words = "Thread (0, 4) reads tile[0][0] while thread (0, 0) writes it: no barrier stands between."
    return made.trace(
        Mark(RACE, words, second[0], second[1], first[0], first[1], "tile", 0, "shared", missing_at=second[0])
    )


def wrong() -> Trace:
    """The result is stored transposed."""
    made = Recorder()
    _run(made, transposed=True)
    step, thread = next((row[0], row[1]) for row in made.writes if row[2] == GLOBAL and row[4] == 4 * 3)
    words = f"C[0][3] gets a wrong value in step {step + 1}."
    return made.trace(Mark(FIRST_WRONG_WRITE, words, step, thread, array="C", index=3, space="global"))


def deadlock() -> Trace:
    """Half of each warp reaches the barrier, the other half never does."""
    made = Recorder()
    for warp in range(2):
        next(made.warp(warp, in_branch=True))
    words = "32 threads wait at line 9 for threads that never come."
    return made.trace(Mark(DEADLOCK, words, len(made.steps) - 1, LANES))


def _run(made: Recorder, transposed: bool = False) -> None:
    warps = {number: made.warp(number, transposed=transposed) for number in range(2)}
    while warps:
        arrived = []
        for number, warp in list(warps.items()):
            if next(warp, None) is None:
                del warps[number]
            else:
                arrived.append(number)
        for number in arrived:
            made.wait(number, RELEASE)
