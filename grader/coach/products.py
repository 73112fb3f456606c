"""Advice on loops that multiply loaded factors: results in registers, tensor cores, and Hopper's own instructions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.coach.advice import Advice
from grader.coach.modelled import Modelled
from grader.model.blocking import Products, on_tensor_cores, register_blocked
from grader.model.change import Change, fewer_instructions, tiled, together, without
from grader.model.sampling import LaunchSample, Row
from grader.run.emulator.ptx.traits import MatrixRole, Memory

MOST = 8
"""Results along each side that a thread makes: 64 sums and 16 factors fit into its registers."""
LOADS = 0.6
"""Loaded numbers for each product, below which a thread's results are many enough."""
REUSED = 4.0
"""How often a block loads each number, so that more results a thread would load it less often."""
SLOWER = 0.63
"""The part of Hopper's tensor throughput that mma.sync reaches (see `grader.model.gpus`)."""
_HALVES = {"f16": "f16", "f16x2": "f16", "bf16": "bf16", "bf16x2": "bf16"}


@dataclass(frozen=True)
class Loop:
    """The products of a kernel: how many numbers are loaded for each, from where, and the line of most of them."""

    products: Products
    line: int
    ratio: float
    arrays: dict[str, float]
    is_shared: bool
    kind: str
    lanes: int


def products(launch: LaunchSample) -> Loop | None:
    """The multiplications of a launch whose two factors were both loaded and are used by several threads."""
    adds: dict[tuple[int, tuple[str, ...]], Row] = {}
    loads: dict[tuple[int, tuple[str, ...]], Row] = {}
    chain: set[tuple[int, tuple[str, ...]]] = set()
    origin: dict[str, list[Row]] = {}
    block = -1
    for row in launch.rows:
        if row.block != block:
            block, origin = row.block, {}
        if row.traits.is_load and (row.requests or row.shared_requests):
            origin.update({name: [row] for name in row.written})
        elif row.traits.pure and len(row.read) == 1 and row.executed:
            rows = [one for name in row.read for one in origin.get(name, [])]
            origin.update({name: [*rows, row] if rows else [] for name in row.written})
        elif row.traits.products and row.executed and len(row.read) >= 3:
            first, second = (origin.get(name, []) for name in row.read[:2])
            # Two numbers behind one address go with one result alone.
            if first and second and _address(first) != _address(second):
                adds[block, row.written] = row
                chain.update((one.block, one.written) for one in (*first, *second))
                loads.update({(one.block, one.written): one for one in (*first, *second) if one.traits.is_load})
            origin.update({name: [] for name in row.written})
        else:
            origin.update({name: [] for name in row.written})
    if not adds:
        return None
    made = sum(row.executed for row in adds.values())
    asked = sum(row.executed * len(row.written) for row in loads.values())
    heaviest = max(adds.values(), key=lambda row: row.executed)
    arrays = _reuse(launch, loads)
    if arrays is None:
        return None
    return Loop(
        Products(frozenset(adds), frozenset(chain)),
        heaviest.line,
        asked / made,
        arrays,
        not arrays,
        _kind(heaviest, chain, launch),
        2 if "f16x2" in heaviest.modifiers or "bf16x2" in heaviest.modifiers else heaviest.traits.products,
    )


def _address(rows: list[Row]) -> tuple[str, ...]:
    return next((row.read for row in rows if row.traits.is_load), ())


def _reuse(launch: LaunchSample, loads: dict[tuple[int, tuple[str, ...]], Row]) -> dict[str, float] | None:
    """Returns, by array in global memory, how often a block loads each sector; None where something is loaded once."""
    found: dict[str, float] = {}
    for row in loads.values():
        if row.requests:
            found[row.array] = found.get(row.array, 0.0) + row.executed * row.bytes / 32 / launch.blocks
    sizes = {one.name: one.mean for one in launch.footprints}
    ratios = {name: sectors / max(sizes.get(name, sectors), 1.0) for name, sectors in found.items()}
    if any(ratio < REUSED for ratio in ratios.values()):
        return None
    read = sum(row.executed * row.lanes * len(row.written) for row in loads.values() if row.shared_requests)
    into = sum(
        row.executed * row.lanes * max(1, len(row.read) - 1) if not row.bytes else row.executed * row.bytes / 4
        for row in launch.rows
        if (row.shared_requests and row.traits.is_store) or row.traits.memory is Memory.COPY
    )
    return None if read and read < REUSED * into else ratios


def _kind(add: Row, chain: set[tuple[int, tuple[str, ...]]], launch: LaunchSample) -> str:
    """The type of the factors where tensor cores multiply it exactly: "f16", "bf16", "s8", else nothing."""
    if add.traits.products > 1:
        return "s8" if "s32" in add.modifiers else "u8"
    own = next((_HALVES[part] for part in add.modifiers if part in _HALVES), "")
    if own:
        return own
    # Either from what a product's own factors were converted, or what was converted on its way to shared memory.
    came = [row for row in launch.rows if row.traits.pure and len(row.read) == 1 and row.executed]
    came = [row for row in came if (row.block, row.written) in chain] or came
    return next((_HALVES[part] for row in came for part in row.modifiers if part in _HALVES), "")


def blocked(subject: Modelled) -> Iterator[Advice]:
    """Finds loops that load nearly as many numbers as they multiply."""
    loop = products(subject.launch)
    if loop is None or loop.ratio < LOADS or _has_tensor(subject):
        return
    factor = _factor(subject, loop)
    if factor < 2:
        return
    where = "shared memory" if loop.is_shared else " and ".join(loop.arrays)
    side = round(factor * 2 / loop.ratio)
    tile = "" if loop.is_shared else "copy tiles to shared memory (tiling), and "
    yield Advice(
        "register_blocking",
        loop.line,
        f"each multiplication takes {loop.ratio:.2g} numbers loaded from {where}",
        f"{tile}let a thread compute {side} × {side} results in registers: {2 * side} loads serve {side * side} "
        "multiplications. A thread that takes neighbouring elements loads four at once (float4)",
        change=_change(loop, factor),
    )


def _change(loop: Loop, factor: int) -> Change:
    own = register_blocked(factor, loop.products)
    return own if loop.is_shared else together([tiled(loop.arrays), own])


def _factor(subject: Modelled, loop: Loop) -> int:
    """How many times the results along each side a thread should make; a GPU's SMs need a block each."""
    factor = MOST
    launch, threads = subject.launch, subject.prepared.needs.threads
    while factor > 1:
        left = launch.working * max(threads / 256, 1.0) / (factor * factor)
        if factor * 2 / loop.ratio <= MOST + 1 and left >= subject.gpu.sms:
            break
        factor //= 2
    return factor


def _has_tensor(subject: Modelled) -> bool:
    loop = products(subject.launch)
    return loop is not None and bool(loop.kind) and bool(subject.gpu.sm.tensor_of.get(loop.kind))


def tensor_cores(subject: Modelled) -> Iterator[Advice]:
    """Finds products of types that tensor cores multiply, made by threads one by one."""
    loop = products(subject.launch)
    if loop is None or not loop.kind or not _has_tensor(subject):
        return
    factor = max(1, min(4, _factor(subject, loop)))
    name = {"f16": "half precision", "bf16": "bfloat16"}.get(loop.kind, "bytes")
    yield Advice(
        "tensor_cores",
        loop.line,
        f"factors in {name} are multiplied by threads, one by one",
        "let tensor cores multiply tiles of 16 × 16 (wmma::mma_sync, or mma.sync with ldmatrix): an instruction of a "
        f"warp makes {16 * 8 * 16:,} products instead of {32 * loop.lanes}",
        change=together([_change(loop, factor), on_tensor_cores(loop.products, loop.kind, loop.lanes)]),
    )


def _multiplies(row: Row) -> bool:
    return row.traits.matrix is MatrixRole.PRODUCT


def warp_groups(subject: Modelled) -> Iterator[Advice]:
    """Finds products by mma.sync on a GPU whose tensor cores are only kept busy by wgmma."""
    if subject.gpu.target != "sm_90":
        return
    rows = [row for row in subject.launch.rows if _multiplies(row) and row.executed]
    if not rows:
        return
    heaviest = max(rows, key=lambda row: row.executed)

    def fed(row: Row) -> bool:
        return row.traits.matrix in (MatrixRole.ROWS, MatrixRole.FRAGMENT) and row.traits.memory is Memory.LOAD

    yield Advice(
        "wgmma",
        heaviest.line,
        "tensor cores are fed through registers, by mma.sync",
        "use Hopper's wgmma: four warps together multiply 64 rows, with factors straight from shared memory, to which "
        "TMA copies whole tiles without threads (kgrade runs such a file on a GPU only)",
        change=together([without(fed), fewer_instructions(lambda row: SLOWER if _multiplies(row) else 1.0)]),
    )
