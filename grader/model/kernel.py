"""The time of one launch on a GPU: rounds of blocks by the cycle model, tail and launch; and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grader.compile.cubin import KernelFacts
from grader.model.calibration import Calibration
from grader.model.gpus import ModelGpu
from grader.model.limits import LIMITS
from grader.model.load import Load, part_of
from grader.model.machine import machine_of
from grader.model.memory import Traffic, traffic_of
from grader.model.ops import atomics_of, ops_of
from grader.model.pipes import PARTITIONS
from grader.model.sampling import LaunchSample
from grader.model.sm import CAUSES, Block, Outcome, simulate
from grader.run.emulator.ptx.operations import operations_of
from grader.run.gpu.occupancy import BlockNeeds, block_limits
from grader.sass import MachineCode

MOST_OPS = 60_000
"""Ops of one simulation. What is longer has fewer rounds, and then fewer blocks at once stand for all."""
ROUNDS = 3
LEAST_ISSUED = 0.5
"""The part of PTX's instructions that the machine code issues at least. The assembler merges some and drops some; where
more are missing, its loops were not found to run: those of integers alone have nothing that both kinds of code name."""
LEAVES = 0.05
"""A warp whose way is shorter than this part of the longest leaves at once."""
FASTER, SLOWER = 0.5, 0.75
"""How far the measured time may lie below and above the model's, relative, because of what the model leaves out: so
that seven of eight times measured on an H200 lie in the interval. See docs/model-time.md."""
LAUNCH, TAIL = "launch", "tail"


WORDS: Mapping[str, str] = {
    "issue": "instruction issue",
    "pipe": "arithmetic pipes",
    "shared": "shared memory",
    "l1": "L1",
    "l2": "L2",
    "dram": "DRAM",
    "latency": "latency",
    "barrier": "barriers",
    TAIL: "the tail",
    LAUNCH: "the launch",
}
"""What a launch is bound by, by the names of its parts."""


@dataclass(frozen=True)
class KernelTime:
    """The time of one launch in seconds, of `low` to `high`, and by what it is bound.

    `parts` are seconds by cause and add up to `seconds`; `lines` are seconds by source line, without launch and tail.
    `resident` blocks are on an SM at once. `dram_bytes` and `l2_bytes` are what those move, `flops` what is computed.
    """

    kernel: str
    seconds: float
    low: float
    high: float
    bound: str
    parts: Mapping[str, float]
    lines: Mapping[int, float]
    resident: int
    waves: float
    dram_bytes: float
    l2_bytes: float
    flops: float
    sampled: int
    blocks: int


@dataclass(frozen=True)
class Prepared:
    """A launch, what its blocks need of an SM, and where its sectors come from. A change is one of these to another."""

    launch: LaunchSample
    needs: BlockNeeds
    traffic: Traffic
    code: MachineCode | None = None
    """The machine code, where it is known and was not changed."""

    def resident(self, gpu: ModelGpu) -> int:
        """How many of its blocks an SM holds at once."""
        return _resident(self.launch, self.needs, gpu)


def prepared(
    launch: LaunchSample, facts: KernelFacts | None, gpu: ModelGpu, code: MachineCode | None = None
) -> Prepared:
    """What the time of a launch on a GPU is computed from."""
    needs = BlockNeeds(
        launch.threads,
        facts.registers if facts else 32,
        (facts.shared_bytes if facts else 0) + launch.shared_bytes,
    )
    resident = _resident(launch, needs, gpu)
    at_once = min(resident, -(-max(1, round(launch.working)) // gpu.sms))
    return Prepared(launch, needs, traffic_of(launch, gpu, needs.shared_bytes, at_once), code)


def _resident(launch: LaunchSample, needs: BlockNeeds, gpu: ModelGpu) -> int:
    """How many blocks an SM holds. Warps that leave at once make room for those of other blocks."""
    lengths = [(way.warps, sum(step.weight for step in way.steps)) for way in launch.ways]
    longest, warps = max((length for _, length in lengths), default=0.0), sum(count for count, _ in lengths)
    staying = sum(count for count, length in lengths if length > LEAVES * longest)
    if warps and staying < warps:
        # A block begins when there is room for all its warps.
        held = max(1, -(-launch.threads // 32) * staying // warps)
        needs = replace(needs, threads=32 * held)
    return max(1, min(block_limits(needs, LIMITS[gpu.target]).values()))


def timed(given: Prepared, gpu: ModelGpu, values: Calibration) -> KernelTime:
    """The time of a launch, as it is or changed. Raises UnknownInstructionError."""
    launch, traffic, resident = given.launch, given.traffic, given.resident(gpu)
    working = max(1, round(launch.working))
    at_once = min(resident, -(-working // gpu.sms))
    active = min(working, gpu.sms)
    load = _load_of(given, gpu, values, active)
    outcome = _rounds(launch, load, at_once, values)
    full = working / (gpu.sms * at_once)
    work = launch.instructions / working / launch.typical if launch.typical else 1.0
    # What came after the trace was full goes on as it began.
    work /= launch.traced
    whole = int(full)
    rest = full - whole
    cycles = outcome.first + max(whole - 1, 0) * outcome.later
    tail = 0.0
    if whole and rest > 1e-9:
        if whole > 24:
            tail = rest * outcome.later
        else:
            left = -(-(working - whole * gpu.sms * at_once) // gpu.sms)
            tail = min(_rounds(launch, load, left, values).first, outcome.later)
        cycles += rest * outcome.later
        tail = max(0.0, tail - rest * outcome.later)
    clock = gpu.clock * values.clock_share
    parts, lines = _parts(outcome, cycles * work / clock)
    parts = {**parts, TAIL: tail * work / clock, LAUNCH: values.launch_seconds}
    # What all SMs need of something at least: the simulated rounds are few, and queues may still be filling there.
    least, cause = max((seconds, cause) for cause, seconds in _floors(launch, load, traffic, gpu, values).items())
    parts[cause] += max(0.0, least - sum(parts.values()) + values.launch_seconds)
    seconds = sum(parts.values())
    low, high = _interval(seconds, launch, traffic, gpu, values)
    return KernelTime(
        kernel=launch.kernel,
        seconds=seconds,
        low=low,
        high=high,
        bound=max(parts, key=lambda name: parts[name]),
        parts=parts,
        lines=lines,
        resident=resident,
        waves=launch.blocks / (gpu.sms * resident),
        dram_bytes=traffic.bytes,
        l2_bytes=traffic.l2_bytes,
        flops=_flops(launch),
        sampled=launch.sampled,
        blocks=launch.blocks,
    )


def _floors(
    launch: LaunchSample, load: Load, traffic: Traffic, gpu: ModelGpu, values: Calibration
) -> Mapping[str, float]:
    """Returns, by cause, the seconds that a launch takes at least."""
    clock = gpu.clock * values.clock_share
    return {
        "dram": traffic.bytes / (gpu.bandwidth * values.dram_share),
        "l2": max(load.l2, _queued(launch, load.gathered, values)) / clock,
        "issue": load.issue / clock,
        "l1" if 2 * load.lookups > load.busy["shared"] else "shared": load.busy["shared"] / clock,
        "pipe": max(cycles for name, cycles in load.busy.items() if name != "shared") / clock,
        # Blocks that leave at once begin one after another, too.
        LAUNCH: launch.blocks / min(launch.blocks, gpu.sms) * values.block_apart / clock,
    }


def _queued(launch: LaunchSample, gathered: frozenset[int], values: Calibration) -> float:
    """Returns the cycles that L2 takes for the updates by atomics of one line of 128 bytes, the most of all arrays.

    Those of one word come in turns, unless one lane does it for all: in source lines that are `gathered`. Lanes that
    update different words of one sector do so together, but slowly.
    """
    arrays = {one.name: max(1.0, min(one.size, one.mean * launch.blocks)) for one in launch.footprints}
    cycles: dict[str, float] = {}
    for row in launch.rows:
        if row.requests and row.traits.is_atomic and row.array in arrays:
            sectors = arrays[row.array]
            each = (1.0 if row.line in gathered else row.turns) / atomics_of(row, values)
            if sectors > 1.0:
                each = max(each if row.turns > 1.0 else 0.0, row.sectors / values.atomic_line_sectors_per_cycle)
            own = row.executed * row.share * each / max(1.0, sectors / 4)
            cycles[row.array] = cycles.get(row.array, 0.0) + own
    return max(cycles.values(), default=0.0)


def _load_of(given: Prepared, gpu: ModelGpu, values: Calibration, active: int) -> Load:
    """What the launch does, by its machine code where that matches, and by PTX elsewhere."""
    launch, traffic = given.launch, given.traffic
    # An instruction that the model does not know gives no time, whatever the assembler makes of it.
    ops = ops_of(launch, gpu, values, traffic, active)
    if given.code is not None:
        found = machine_of(launch, given.code, gpu, values, traffic, active)
        if found is not None and (found.issue >= LEAST_ISSUED * ops.issue or _is_packed(given.code)):
            return found
    ways = tuple(tuple((ops.blocks.get(step.block, ()), step.weight) for step in way.steps) for way in launch.ways)
    return Load(ways, ops.registers, ops.busy, ops.issue, ops.l2, ops.lookups)


def _is_packed(code: MachineCode) -> bool:
    """Whether it has instructions on pairs of 16 bits, each of which stands for seven of PTX."""
    return any("16x2" in modifier for block in code.blocks for one in block.code for modifier in one.modifiers)


def _rounds(launch: LaunchSample, load: Load, at_once: int, values: Calibration) -> Outcome:
    """Simulates the share of one scheduler of so many blocks at once."""
    warps = -(-launch.threads // 32)
    counts = [way.warps for way in launch.ways]
    own: Sequence[Block]
    if warps >= PARTITIONS:
        own = dealt(load.ways, counts, -(-warps // PARTITIONS))
        groups = at_once
    else:
        own = load.ways[:1]
        groups = max(1, -(-at_once * warps // PARTITIONS))
    length = sum(len(block) for way in own for block, _ in way)
    rounds = max(1, min(ROUNDS, MOST_OPS // max(1, length * groups)))
    # A slot of fewer warps than schedulers stands for several blocks. Of loops a few rounds stand for all, so that the
    # simulated blocks are shorter: they follow one another as much sooner.
    whole = sum(len(block) * weight for way in own for block, weight in way)
    apart = values.block_apart * max(1.0, PARTITIONS / warps) * min(1.0, length / max(whole, 1.0))
    return simulate(own, groups, load.registers, rounds, values.block_start, barrier_cycles(warps, values), apart)


def barrier_cycles(warps: int, values: Calibration) -> float:
    """The cycles from the last warp's arrival at a barrier on, in a block of so many. Issuing it is not among them."""
    between = values.latency_barrier + values.barrier_warp_cycles * (warps - 8)
    return max(0.0, between - (-(-warps // PARTITIONS) - 1))


def dealt(ways: Sequence[Block], counts: Sequence[int], wanted: int) -> list[Block]:
    """The ways of a scheduler's `wanted` warps of a block: the longest, and those that most warps go.

    Where a way is dealt more often than in proportion, or less often, its ops ask for as much less or more of what
    warps share: those of several blocks are spread over all schedulers, while each barrier waits for the slowest.
    """
    due = [count * wanted / sum(counts) for count in counts]
    work = [part * sum(len(ops) * weight for ops, weight in way) for part, way in zip(due, ways, strict=True)]
    longest = max(range(len(ways)), key=lambda n: work[n] / due[n])
    kept = sorted(range(len(ways)), key=lambda n: (n != longest, -due[n]))[:wanted]
    times = dict.fromkeys(kept, 1)
    for _ in range(wanted - len(kept)):
        times[max(kept, key=lambda n: due[n] / times[n])] += 1
    # What the others do is shared out.
    more = sum(work) / max(1e-9, sum(work[n] for n in kept))
    found: list[Block] = []
    for n in sorted(kept):
        share = due[n] * more / times[n]
        way = ways[n]
        if abs(share - 1.0) > 1e-9:
            # A block comes again and again on a long way: its ops are the same object each time.
            parts = {
                id(ops): tuple(part_of(op, share) for op in ops) for ops in {id(ops): ops for ops, _ in way}.values()
            }
            way = tuple((parts[id(ops)], weight) for ops, weight in way)
        found += [way] * times[n]
    return found


def _parts(outcome: Outcome, seconds: float) -> tuple[dict[str, float], dict[int, float]]:
    total = sum(outcome.causes)
    if not total:
        return {"latency": seconds}, {}
    parts = {name: cycles / total * seconds for name, cycles in zip(CAUSES, outcome.causes, strict=True)}
    lines = {line: cycles / total * seconds for line, cycles in sorted(outcome.lines.items()) if line}
    return parts, lines


def _interval(
    seconds: float, launch: LaunchSample, traffic: Traffic, gpu: ModelGpu, values: Calibration
) -> tuple[float, float]:
    """Returns the interval that the sampling's error, DRAM's least and most work and the model's own error leave."""
    rate = gpu.bandwidth * values.dram_share
    spread = 2 * launch.spread
    low = seconds * (1 - min(spread + FASTER, 0.9))
    high = max(seconds, traffic.high / rate) * (1 + spread + SLOWER)
    return low, high


def _flops(launch: LaunchSample) -> float:
    return sum(
        operations_of(row.traits, row.modifiers) * row.executed * row.share * row.lanes
        for row in launch.rows
        if row.executed
    )
