"""Turns the rows of a sampled launch into the ops of the cycle model, for one GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.model.calibration import Calibration
from grader.model.gpus import ModelGpu
from grader.model.memory import LINE, SECTOR, Traffic, is_compact
from grader.model.pipes import PARTITIONS, UnknownInstructionError, cost_of
from grader.model.sampling import LaunchSample, Row
from grader.model.schedule import BARRIER, COMMIT, COPY, LAST, PLAIN, WAIT, Op, scheduled
from grader.model.sm import L1, LATENCY, PIPES, SHARED
from grader.run.emulator.ptx.traits import Barrier, MatrixRole, Memory

AHEAD = 2000.0
"""Cycles by which a load of the round before is earlier; longer queues than these still have to be waited for."""
_SHARED = PIPES.index("shared")


@dataclass(frozen=True)
class Ops:
    """`blocks` has the ops of each basic block in the order of issue; `registers` is the number of registers.

    `busy` are the cycles that the launch keeps each pipe busy, in a quarter of an SM with all SMs alike; `issue` those
    of its schedulers, `l2` those of L2; `lookups` are those of the pipe "shared" that are L1's.
    """

    blocks: Mapping[int, tuple[Op, ...]]
    registers: int
    busy: Mapping[str, float]
    issue: float
    l2: float
    lookups: float


@dataclass(frozen=True)
class Access:
    """An access to memory by a warp: a row with its counts, the share of its sectors that L1 has not, the share of
    those that DRAM serves, the share of its sectors that were not in L1 for long, and the part of it that one
    instruction does.
    """

    row: Row
    missed: float
    dram: float
    waits: float
    part: float = 1.0


@dataclass(frozen=True)
class Rates:
    """Cycles of a quarter of an SM for a sector: of L2, of DRAM, and one that L2 updates, with so many SMs at work."""

    l2: float
    dram: float
    atomics: float


def rates_of(gpu: ModelGpu, values: Calibration, active: int) -> Rates:
    """What each SM gets of what all share, with `active` SMs at work."""
    clock = gpu.clock * values.clock_share
    l2 = min(values.l2_port_bytes_per_cycle, values.l2_bytes_per_cycle * gpu.sms / active)
    dram = gpu.bandwidth * values.dram_share / clock / active
    updated = values.atomic_sectors_per_cycle * gpu.sms / active
    return Rates(
        SECTOR * PARTITIONS / l2,
        SECTOR * PARTITIONS / min(dram, values.l2_port_bytes_per_cycle),
        PARTITIONS / updated,
    )


def ops_of(launch: LaunchSample, gpu: ModelGpu, values: Calibration, traffic: Traffic, active: int) -> Ops:
    """The ops of a launch, with `active` SMs at work. Raises UnknownInstructionError."""
    registers: dict[str, int] = {}
    rates = rates_of(gpu, values, active)
    found: dict[int, list[Op]] = {}
    busy = dict.fromkeys(PIPES, 0.0)
    issue = l2 = lookups = 0.0
    for row, missed in zip(launch.rows, traffic.misses, strict=True):
        if row.executed:
            op = _shared_out(_op(row, missed, gpu, values, traffic, rates, registers), row)
            found.setdefault(row.block, []).append(op)
            each = row.executed / (active * PARTITIONS)
            issue, l2 = issue + each * op.slots, l2 + each * op.l2
            if op.pipe >= 0:
                busy[PIPES[op.pipe]] += each * op.busy
                lookups += each * op.busy if op.cause == L1 else 0.0
    return Ops({block: scheduled(ops) for block, ops in found.items()}, len(registers), busy, issue, l2, lookups)


def _shared_out(op: Op, row: Row) -> Op:
    """The op of a row that a change has made rarer, or more frequent, or that is begun earlier."""
    if row.share != 1.0:
        part = row.share
        op = replace(op, slots=op.slots * part, busy=op.busy * part, l2=op.l2 * part, dram=op.dram * part)
    early = AHEAD if row.ahead >= 1.0 else row.ahead * op.latency
    return replace(op, early=early) if early else op


def _op(
    row: Row,
    missed: float,
    gpu: ModelGpu,
    values: Calibration,
    traffic: Traffic,
    rates: Rates,
    registers: dict[str, int],
) -> Op:
    reads = tuple(registers.setdefault(name, len(registers)) for name in row.read)
    writes = tuple(registers.setdefault(name, len(registers)) for name in row.written)
    base = Op(PLAIN, 1.0, -1, 0.0, 0.0, reads, writes, row.line, LATENCY)
    traits = row.traits
    if traits.barrier is Barrier.BLOCK:
        return replace(base, role=BARRIER)
    if "commit_group" in row.modifiers:
        return replace(base, role=COMMIT)
    if "wait_group" in row.modifiers or "wait_all" in row.modifiers:
        pending = next((int(part) for part in row.text.rstrip(";").split()[1:] if part.isdigit()), 0)
        return replace(base, role=WAIT, pending=pending)
    if traits.memory is Memory.NONE and traits.matrix in (MatrixRole.NONE, MatrixRole.PRODUCT):
        cost = cost_of(row, gpu.sm, values)
        pipe = PIPES.index(cost.pipe) if cost.pipe else -1
        role = LAST if traits.branches or traits.leaves else PLAIN
        return replace(base, role=role, slots=cost.slots, pipe=pipe, busy=cost.busy, latency=cost.latency)
    if traits.memory in (Memory.HINT, Memory.DISCARD):
        return base
    if traits.memory is Memory.BARRIER_OBJECT:
        raise UnknownInstructionError(row.text)
    return access_op(
        Access(row, missed, traffic.dram.get(row.array, 1.0), min(1.0, missed + row.followed)),
        values,
        traffic,
        rates,
        base,
    )


def atomics_of(row: Row, values: Calibration) -> float:
    """The updates of one word that L2 does in a cycle."""
    is_float = {"f16", "bf16", "f16x2", "bf16x2", "f32", "f64"} & set(row.modifiers)
    return values.float_atomics_per_cycle if is_float else values.atomics_per_cycle


def constants_op(words: float, values: Calibration, base: Op) -> Op:
    """The op of a load from constant memory whose lanes ask for so many words: these are as many requests (CUDA C++
    Programming Guide, "Constant Memory")."""
    return replace(
        base, pipe=_SHARED, busy=PARTITIONS * values.constant_cycles * words, latency=values.latency_shared, cause=L1
    )


def access_op(access: Access, values: Calibration, traffic: Traffic, rates: Rates, base: Op) -> Op:
    """The op of an access to memory, from `base`, which has its registers and its line."""
    row, missed = access.row, access.missed
    traits, modifiers = row.traits, row.modifiers
    if "param" in modifiers:
        return replace(base, slots=0.0)
    writes = traits.memory in (Memory.STORE, Memory.ATOMIC, Memory.COPY)
    letter = "s" if row.shared_requests or "shared" in modifiers else "g"
    order = letter.upper() if writes else "" if "nc" in modifiers or "const" in modifiers else letter
    if not row.requests and not row.shared_requests:
        # Of constants, of a thread's own memory, or with no lane at work.
        if "local" in modifiers:
            return replace(base, pipe=_SHARED, busy=float(PARTITIONS), latency=values.latency_l1, cause=L1, order=order)
        return replace(constants_op(max(1.0, row.words), values, base), order=order)
    # Of lines that it looks up L1 delivers each place once a cycle: the sectors at one place come one after another.
    # Neighbouring words have banks of their own wherever the first of them lies.
    depth = row.bytes / LINE if is_compact(row) else row.depth
    lookups = row.requests * max(row.lines / values.l1_tags_per_cycle, depth / values.l1_lines_per_cycle, 1.0)
    turns = row.turns * (values.shared_atomic_cycles if row.shared_requests else 0.0)
    # A copy's look-ups and its writes to shared memory are stages of one pipeline.
    busy = PARTITIONS * max(lookups, row.wavefronts, turns, 0.25)
    latency, l2, dram = values.latency_shared, 0.0, 0.0
    cause = SHARED if row.shared_requests > row.requests else L1
    if row.requests:
        share, out = access.dram, row.sectors * missed
        l2, dram = out * rates.l2, out * share * rates.dram
        # A request waits for the last of its sectors. Where places follow from the index, its lanes miss together.
        together = row.array in traffic.regular
        late = access.waits if together else row.sectors * access.waits / row.requests
        any_missed = min(1.0, late)
        any_dram = min(any_missed, late * share) / max(any_missed, 1e-9)
        far = values.latency_l2 + any_dram * (values.latency_dram - values.latency_l2)
        latency = values.latency_l1 + any_missed * (far - values.latency_l1)
        if traits.memory is Memory.ATOMIC:
            latency = values.latency_atomic
            l2 = max(l2, row.sectors * rates.atomics) + PARTITIONS * row.turns / atomics_of(row, values)
    role = COPY if traits.memory is Memory.COPY else PLAIN
    if not base.writes and not base.holds and role == PLAIN:
        latency = 0.0
    return replace(
        base, role=role, pipe=_SHARED, busy=busy, latency=latency, cause=cause, l2=l2, dram=dram, order=order
    )
