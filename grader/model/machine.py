"""A launch in the machine code that runs: ops with the assembler's stalls and scoreboards, and ways through its blocks.

What an access touches is what PTX's accesses of its line and kind do; how often blocks run says `executions`. Where the
two kinds of code do not match there is none, and the model takes PTX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.model.anchors import ATOMICS, GLOBAL, Anchor, is_of, of_instruction
from grader.model.calibration import Calibration
from grader.model.executions import Executions, Matching, is_small
from grader.model.gpus import ModelGpu
from grader.model.instructions import cost_of_machine
from grader.model.load import Load, part_of
from grader.model.loops import Visit, way_of
from grader.model.memory import Traffic
from grader.model.ops import Access, Rates, access_op, constants_op, rates_of
from grader.model.pipes import PARTITIONS
from grader.model.sampling import LaunchSample, Row
from grader.model.schedule import BARRIER, COMMIT, PLAIN, WAIT, Op
from grader.model.sm import L1, LATENCY, PIPES
from grader.sass import NO_BARRIER, Instruction, MachineCode

SCOREBOARDS = 6
MOST_LOST = 0.05
"""The share of a warp's instructions that may be missing on its way."""


def machine_of(
    launch: LaunchSample, code: MachineCode, gpu: ModelGpu, values: Calibration, traffic: Traffic, active: int
) -> Load | None:
    """The launch in machine code, with `active` SMs at work; None where it does not match PTX."""
    if not is_small(code):
        return None
    matching = Matching(launch, code)
    warps = max(1.0, launch.blocks * -(-launch.threads // 32))
    whole = matching.executions([row.executed / warps for row in launch.rows], launch.ways)
    if whole is None or not whole.fits:
        return None
    accesses = _accesses(launch, code, whole, traffic, warps)
    rates = rates_of(gpu, values, active)
    words = _words(launch)
    blocks = [_ops(block.code, accesses, words, gpu, values, traffic, rates) for block in code.blocks]
    ways = []
    for way in launch.ways:
        counts: dict[int, float] = {}
        for step in way.steps:
            counts[step.block] = counts.get(step.block, 0.0) + step.weight
        executed = [counts.get(row.block, 0.0) if row.executed else 0.0 for row in launch.rows]
        own = matching.executions(executed, [way])
        if own is None or not own.fits:
            return None
        visits = way_of(own, matching.edges)
        if not _is_whole(visits, own, blocks):
            return None
        ways.append(tuple(_visited(visit, blocks) for visit in visits))
    busy = dict.fromkeys(PIPES, 0.0)
    issue = l2 = lookups = 0.0
    for number, ops in enumerate(blocks):
        each = whole.of(number) * warps / (active * PARTITIONS)
        for op in ops:
            issue, l2 = issue + each * op.slots, l2 + each * op.l2
            if op.pipe >= 0:
                busy[PIPES[op.pipe]] += each * op.busy
                lookups += each * op.busy if op.cause == L1 else 0.0
    gathered = frozenset(one.line for block in code.blocks for one in block.code if _is_update(one, block.code))
    return Load(tuple(ways), SCOREBOARDS, busy, issue, l2, lookups, gathered)


def _is_whole(visits: Sequence[Visit], found: Executions, blocks: Sequence[tuple[Op, ...]]) -> bool:
    """Whether the way has the instructions that the warp executes."""
    executed = sum(found.of(number) * len(ops) for number, ops in enumerate(blocks))
    visited = sum(visit.weight * visit.share * len(blocks[visit.block]) for visit in visits)
    return abs(visited - executed) <= MOST_LOST * executed


def _visited(visit: Visit, blocks: Sequence[tuple[Op, ...]]) -> tuple[tuple[Op, ...], float]:
    ops, part = blocks[visit.block], visit.share
    if part < 1.0:
        ops = tuple(
            replace(
                op,
                **{name: getattr(op, name) * part for name in ("slots", "busy", "latency", "l2", "dram", "stall")},
                role=op.role if part >= 0.5 else PLAIN,
            )
            for op in ops
        )
    return ops, visit.weight


def _accesses(
    launch: LaunchSample, code: MachineCode, whole: Executions, traffic: Traffic, warps: float
) -> Mapping[Anchor, Access]:
    """By line and kind, what one access of the machine code touches."""
    rows: dict[Anchor, list[tuple[Row, float]]] = {}
    for row, missed in zip(launch.rows, traffic.misses, strict=True):
        anchor = is_of(row) if row.executed else None
        if anchor is not None:
            rows.setdefault(anchor, []).append((row, missed))
    moved: dict[Anchor, float] = {}
    for number, block in enumerate(code.blocks):
        each = whole.of(number) * warps
        for one in block.code:
            amount = of_instruction(one)
            if amount is not None and amount.anchor in rows:
                moved[amount.anchor] = moved.get(amount.anchor, 0.0) + each
    return {anchor: _mean(own, moved.get(anchor, 0.0), traffic) for anchor, own in rows.items()}


def _words(launch: LaunchSample) -> Mapping[int, float]:
    """By line, the words of constant memory that the lanes of a load ask for."""
    rows: dict[int, list[Row]] = {}
    for row in launch.rows:
        if row.executed and "const" in row.modifiers:
            rows.setdefault(row.line, []).append(row)
    return {
        line: sum(row.words * row.executed for row in own) / sum(row.executed for row in own)
        for line, own in rows.items()
    }


def _mean(own: Sequence[tuple[Row, float]], executed: float, traffic: Traffic) -> Access:
    """The mean access. Where the machine code has more accesses than PTX, each is a part of one.

    A line may access several arrays, of which DRAM serves some alone.
    """
    total = sum(row.executed for row, _ in own)
    largest = max(own, key=lambda one: one[0].executed * max(one[0].sectors, one[0].wavefronts))[0]
    names = (
        "requests",
        "sectors",
        "shared_requests",
        "wavefronts",
        "turns",
        "bytes",
        "lanes",
        "lines",
        "depth",
        "words",
    )
    each = {name: sum(getattr(row, name) * row.executed for row, _ in own) / total for name in names}
    sectors = sum(row.sectors * row.executed for row, _ in own)
    missed = sum(row.sectors * row.executed * part for row, part in own) / sectors if sectors else 1.0
    asked = sum(row.sectors * row.executed * part for row, part in own)
    served = sum(row.sectors * row.executed * part * traffic.dram.get(row.array, 1.0) for row, part in own)
    followed = sum(row.sectors * row.executed * row.followed for row, _ in own) / sectors if sectors else 0.0
    part = min(1.0, total / executed) if executed else 1.0
    dram = served / asked if asked else 1.0
    return Access(replace(largest, **each), missed, dram, min(1.0, missed + followed), part)


def _ops(
    code: Sequence[Instruction],
    accesses: Mapping[Anchor, Access],
    words: Mapping[int, float],
    gpu: ModelGpu,
    values: Calibration,
    traffic: Traffic,
    rates: Rates,
) -> tuple[Op, ...]:
    """The ops of a basic block."""
    found: list[Op] = []
    anchors = [amount.anchor if (amount := of_instruction(one)) else None for one in code]
    known = [anchor for anchor in dict.fromkeys(anchors) if anchor is not None and anchor in accesses]
    left = {anchor: accesses[anchor].missed * anchors.count(anchor) for anchor in known}
    late = {anchor: accesses[anchor].waits * anchors.count(anchor) for anchor in known}
    for one, anchor in zip(code, anchors, strict=True):
        control = one.control
        held = () if control.writes == NO_BARRIER else (control.writes,)
        read = () if control.reads == NO_BARRIER else (control.reads,)
        base = Op(PLAIN, 1.0, -1, 0.0, 0.0, tuple(control.waited), (), one.line, LATENCY)
        base = replace(base, stall=float(control.stall), holds=held, holds_read=read)
        if anchor is None or anchor not in left:
            # Where all lanes ask for one word the latency is all that there is.
            is_apart = one.name == "LDC" and words.get(one.line, 0.0) > 1.0
            found.append(constants_op(words[one.line], values, base) if is_apart else _plain(one, gpu, values, base))
            continue
        access = accesses[anchor]
        if anchor.kind == ATOMICS and (_is_gathered(one, code) or "POPC" in one.modifiers):
            access = replace(access, row=replace(access.row, turns=min(access.row.turns, 1.0)))
        if access.row.array in traffic.regular:
            # The first accesses of several to neighbouring places bring what the others find.
            access = replace(access, missed=min(1.0, left[anchor]), waits=min(1.0, late[anchor]))
            left[anchor], late[anchor] = left[anchor] - access.missed, late[anchor] - access.waits
        op = access_op(access, values, traffic, rates, base)
        found.append(op if access.part >= 1.0 else part_of(op, access.part))
    return tuple(found)


def _is_update(one: Instruction, code: Sequence[Instruction]) -> bool:
    """Whether it is an atomic in global memory by one lane for all."""
    amount = of_instruction(one)
    is_atomic = amount is not None and (amount.anchor.kind, amount.anchor.space) == (ATOMICS, GLOBAL)
    return is_atomic and _is_gathered(one, code)


def _is_gathered(one: Instruction, code: Sequence[Instruction]) -> bool:
    """Whether a warp's updates of one address were added up before: one lane, the first at work, does it for all.

    The assembler does so where the address is one for all lanes. `code` is the atomic's basic block.
    """
    return bool(one.predicate) and any(other.name in ("UFLO", "FLO") for other in code[: code.index(one)])


def _plain(one: Instruction, gpu: ModelGpu, values: Calibration, base: Op) -> Op:
    if one.name == "BAR":
        return replace(base, role=BARRIER) if "ARV" not in one.modifiers else base
    if one.name == "LDGDEPBAR":
        return replace(base, role=COMMIT)
    if one.name == "DEPBAR":
        pending = one.operands[1] if len(one.operands) > 1 else "0x0"
        return replace(base, role=WAIT, pending=int(pending, 16) if pending.startswith("0x") else 0)
    cost = cost_of_machine(one, gpu.sm, values)
    pipe = PIPES.index(cost.pipe) if cost.pipe else -1
    return replace(base, slots=cost.slots, pipe=pipe, busy=cost.busy, latency=cost.latency)
