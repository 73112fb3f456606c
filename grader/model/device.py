"""The emulator as a device that samples: of each launch it runs some blocks, with counters and traces.

What is too small to be worth a sample runs whole. It says nothing of any GPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import prod
from random import SystemRandom
from typing import Any

import numpy as np

from grader.model.blocks import (
    ALL,
    SUMS,
    Chosen,
    along_axis,
    choose_blocks,
    index_of,
    next_block,
    unlike_axis,
    with_shares,
)
from grader.model.footprint import Touched, fit, runs_of
from grader.model.paths import shorten
from grader.model.registers import operands_of
from grader.model.reuse import SECTORS, in_turns, reuse_of
from grader.run import emulator
from grader.run.emulated_device import EmulatedDevice
from grader.run.emulator import layout
from grader.run.emulator.counter_layout import ROW, SECTOR, rows_at
from grader.run.emulator.counts import RowCounts
from grader.run.emulator.faults import Fault, LaunchResult
from grader.run.emulator.ptx.traits import Memory
from grader.run.emulator.traces import Traces
from grader.run.emulator.translate.assigned import successors
from grader.run.emulator.translate.counter_rows import CounterRows
from grader.sandbox.serving import Message

STEPS, TOUCHES = 1 << 19, 1 << 21
"""Basic blocks and touches of one block that are traced at most."""
WHOLE = 3_000_000
"""Warp instructions of a launch that runs whole, because later launches may depend on its results."""
SAMPLED = 24_000_000
"""Warp instructions of all samples of a launch. The first block may have more."""
ALIKE = 12
"""Launches of one kernel and shape that are sampled; later ones are like the last of them."""
MOST_BLOCKS = 40
"""Blocks of a launch that are run at most, where blocks of different work are looked for."""
WARPS = 4
"""Ways of a block's warps that are kept."""

OTHERS = 6
"""Blocks at random places that run besides, where results are wanted: nobody knows beforehand which these are."""

LINE = 128
"""Bytes of a cache's line."""
WARP = 32
"""Threads."""
TOGETHER = "a cooperative launch: its blocks wait for each other, so that no sample of them runs to its end"


@dataclass
class _Block:
    chosen: Chosen
    instructions: int
    counts: emulator.LaunchCounts
    traces: Traces


class SamplingDevice(EmulatedDevice):
    """Runs plans on samples of their blocks; `samples` has what came of each launch, as plain data.

    With `results`, others run as well, of which nothing is told.
    """

    results = False

    def __init__(self, image: str, symbols: Mapping[str, str], objects: emulator.Objects) -> None:
        self.samples: list[Message] = []
        self._known: dict[str, list[int]] = {}
        self._repeated = 0.0
        self._spent = 0.0
        super().__init__(image, symbols, objects, count=True)

    def _run_kernel(self, kernel: str, symbol: str, **launch: Any) -> LaunchResult:
        module, grid = self._modules[kernel], launch["grid"]
        self._spent = 0.0
        if launch["cooperative"]:
            return LaunchResult("fault", Fault("cooperative", TOGETHER))
        shape = {"kernel": kernel, **{name: launch[name] for name in ("grid", "block", "shared_bytes")}}
        known = self._known.setdefault(repr(shape), [])
        if len(known) >= ALIKE:
            return self._repeat(module, symbol, shape, known, **launch)
        blocks: list[_Block] = []
        failed = self._sample(module, symbol, blocks, **launch)
        if failed is not None:
            return failed
        result, estimate = LaunchResult("done"), _estimate(blocks, grid)
        whole = prod(grid) == len(blocks)
        more: Message = {}
        ran = sum(block.instructions for block in blocks)
        if not whole and estimate <= WHOLE:
            whole = True
            result, more = self._run_others(module, symbol, blocks, **launch)
        elif not whole and self.results:
            result = self._run_at_random(module, symbol, {block.chosen.number for block in blocks}, **launch)
            ran += result.instructions
        if result.status != "done":
            return result
        counting = module.translation_of(symbol).counting
        assert counting is not None
        known.append(len(self.samples))
        done = 1.0 if whole else ran / estimate
        program = module.translation_of(symbol).program
        edges = [[block.pc, after] for block in program.blocks for after in successors(program, block)]
        told = {**self._told(blocks, counting), "edges": edges}
        typical = blocks[told["typical"]]
        told["traced"] = traced_share(typical.traces, typical.counts, -(-prod(launch["block"]) // WARP))
        self.samples.append({**shape, **told, "estimate": estimate, "done": done, **more})
        return replace(result, seconds=self._spent)

    def _repeat(
        self, module: emulator.Module, symbol: str, shape: Message, known: Sequence[int], **launch: Any
    ) -> LaunchResult:
        """A launch like several before: it is like the last of them, but if it is short its own work is counted."""
        last = self.samples[known[-1]]
        told = {**shape, "like": known[-1], "done": 0.0}
        result = LaunchResult("done")
        if last["estimate"] <= WHOLE and self._repeated + last["estimate"] <= SAMPLED:
            self._repeated += last["estimate"]
            result = module.launch(symbol, traces=Traces(0, 0), **launch)
            told |= {"instructions": result.instructions, "done": 1.0}
        self.samples.append(told)
        return result

    def _sample(self, module: emulator.Module, symbol: str, blocks: list[_Block], **launch: Any) -> LaunchResult | None:
        """Runs a sample of the blocks and adds them to `blocks`; returns the result of one that does not end."""
        grid = launch["grid"]
        along = max(grid) == prod(grid) > ALL
        wanted = list(choose_blocks(grid))
        others = not along and prod(grid) > ALL
        while wanted:
            if len(blocks) >= 2 and sum(one.instructions for one in blocks) + _most(blocks) > SAMPLED:
                break
            chosen = wanted.pop(0)
            traces = Traces(STEPS, TOUCHES)
            only = range(chosen.number, chosen.number + 1)
            result = module.launch(symbol, only_blocks=only, traces=traces, **launch)
            self._spent += result.seconds
            if result.status != "done":
                return result
            assert result.counts is not None
            blocks.append(_Block(chosen, result.instructions, result.counts, traces))
            if not wanted and along and len(blocks) < MOST_BLOCKS:
                number = next_block({one.chosen.number: float(one.instructions) for one in blocks})
                wanted = [Chosen(number, index_of(number, grid), 0.0)] if number is not None else []
            elif not wanted and others:
                others = False
                axis = unlike_axis({one.chosen.index: float(one.instructions) for one in blocks})
                if axis is not None:
                    wanted = _stand_in(blocks, along_axis(grid, axis))
        blocks.sort(key=lambda one: one.chosen.number)
        if along:
            weighed = with_shares([one.chosen.number for one in blocks], grid)
            blocks[:] = [replace(one, chosen=chosen) for one, chosen in zip(blocks, weighed, strict=True)]
        return None

    def _run_others(
        self, module: emulator.Module, symbol: str, blocks: Sequence[_Block], **launch: Any
    ) -> tuple[LaunchResult, Message]:
        """Runs the blocks that have not run, so that later launches find the results of all.

        Returns the result, of the one that fails or the last, and what all of them did.
        """
        result = LaunchResult("done")
        ran = [block.chosen.number for block in blocks]
        instructions = sum(block.instructions for block in blocks)
        sectors = sum(_sectors(block.counts) for block in blocks)
        for start, end in zip([0, *(number + 1 for number in ran)], [*ran, prod(launch["grid"])], strict=True):
            if start < end:
                result = module.launch(symbol, only_blocks=range(start, end), traces=Traces(0, 0), **launch)
                self._spent += result.seconds
                if result.status != "done":
                    break
                assert result.counts is not None
                instructions, sectors = instructions + result.instructions, sectors + _sectors(result.counts)
        return result, {"all": {"instructions": instructions, "sectors": sectors}}

    def _run_at_random(self, module: emulator.Module, symbol: str, ran: Set[int], **launch: Any) -> LaunchResult:
        """Runs some blocks that have not run; returns the result of one that fails, or all their instructions."""
        numbers = {SystemRandom().randrange(prod(launch["grid"])) for _ in range(OTHERS)}
        instructions = 0
        for number in sorted(numbers - ran):
            result = module.launch(symbol, only_blocks=range(number, number + 1), traces=Traces(0, 0), **launch)
            self._spent += result.seconds
            if result.status != "done":
                return result
            instructions += result.instructions
        return LaunchResult("done", instructions=instructions)

    def _told(self, blocks: list[_Block], counting: CounterRows) -> Message:
        typical = _typical(blocks)
        block = blocks[typical]
        places = {rows_at(counting.blocks) + n * ROW.size: n for n in range(len(counting.rows))}
        return {
            "blocks": [
                {
                    "number": one.chosen.number,
                    "weight": one.chosen.weight,
                    "instructions": one.instructions,
                    "rows": [[getattr(row, name) for name in SUMS] for row in one.counts.rows],
                }
                for one in blocks
            ],
            "typical": typical,
            "rows": [_row_to_json(row) for row in block.counts.rows],
            "operands": _operands(counting),
            "ways": _ways(block.traces),
            "lines": _lines(block.traces, places, counting),
            "reuse": self._reuse(block, places, counting),
            "footprints": self._footprints(blocks, typical, places, counting),
        }

    def _reuse(self, block: _Block, places: dict[int, int], counting: CounterRows) -> Message:
        touches = block.traces.touches()
        sectors, offsets, warps = touches.sectors, touches.rows, touches.warps
        loads = np.isin(offsets, [at for at, n in places.items() if counting.rows[n][0].traits.memory in _READS])
        sectors, offsets, warps = sectors[loads], offsets[loads], warps[loads]
        order = in_turns(warps) if len(warps) else np.zeros(0, np.int64)
        found = reuse_of(sectors[order], offsets[order], warps[order])
        visible = _visible(counting)
        rows = {visible[places[at]]: sorted(bins.items()) for at, bins in found.rows.items()}
        windows = {"footprints": list(found.footprints), "lines": list(found.lines)}
        followers = sorted((visible[places[at]], count) for at, count in found.followers.items())
        return {**windows, "rows": [[row, bins] for row, bins in sorted(rows.items())], "followers": followers}

    def _footprints(
        self, blocks: list[_Block], typical: int, places: dict[int, int], counting: CounterRows
    ) -> list[Message]:
        writes = [at for at, n in places.items() if counting.rows[n][0].traits.memory not in _READS]
        touched: dict[int, list[tuple[int, Touched]]] = {}
        written: dict[int, tuple[int, int]] = {}
        for number, block in enumerate(blocks):
            touches = block.traces.touches()
            sectors, offsets = touches.sectors, touches.rows
            slots = sectors >> (layout.SLOT_BITS - 5)
            for slot in np.unique(slots).tolist():
                mine = slots == slot
                base = layout.array_address(slot) // SECTOR
                starts, ends, amount = runs_of(sectors[mine] - base)
                touched.setdefault(slot, []).append((number, Touched(block.chosen.index, starts, ends, amount)))
                if number == typical:
                    is_stored = np.isin(offsets[mine], writes)
                    written[slot] = len(np.unique(sectors[mine][is_stored])), amount
        found = []
        for slot, each in sorted(touched.items()):
            array = self._memory.at(layout.array_address(slot))
            middle = next((place for place, (number, _) in enumerate(each) if number == typical), 0)
            stored, amount = written.get(slot, (0, 1))
            size = -(-self._memory.sizes().get(slot, 0) // SECTOR)
            weights = [block.chosen.weight for block in blocks]
            own = [weights[number] for number, _ in each]
            one = fit(array.name if array else "", size, [t for _, t in each], own, middle, stored / amount)
            found.append(
                {
                    "name": one.name,
                    "size": one.size,
                    "origin": list(one.origin),
                    "steps": one.steps,
                    "starts": one.starts.tolist(),
                    "ends": one.ends.tolist(),
                    "mean": one.mean * sum(own) / sum(weights),
                    "apart": one.apart,
                    "written": one.written,
                }
            )
        return found


_READS = (Memory.LOAD, Memory.COPY)


def _stand_in(blocks: list[_Block], chosen: Sequence[Chosen]) -> list[Chosen]:
    """Lets these blocks alone stand for all; returns those of them that have not run."""
    weights = {one.number: one.weight for one in chosen}
    for place, block in enumerate(blocks):
        weight = weights.get(block.chosen.number, 0.0)
        blocks[place] = replace(block, chosen=replace(block.chosen, weight=weight))
    ran = {block.chosen.number for block in blocks}
    return [one for one in chosen if one.number not in ran]


def _estimate(blocks: Sequence[_Block], grid: Sequence[int]) -> float:
    """The warp instructions of all blocks."""
    total = sum(one.chosen.weight for one in blocks)
    return sum(one.instructions * one.chosen.weight for one in blocks) / total * prod(grid)


def _sectors(counts: emulator.LaunchCounts) -> int:
    """How many sectors of global memory were touched, each as often as it was."""
    return sum(row.sectors for row in counts.rows)


def _most(blocks: list[_Block]) -> int:
    return max(block.instructions for block in blocks)


def _typical(blocks: list[_Block]) -> int:
    """The place of the block in whose kind half of the work is done: blocks that only leave are not typical."""
    order = sorted(range(len(blocks)), key=lambda n: (blocks[n].instructions, n))
    half = sum(block.instructions * block.chosen.weight for block in blocks) / 2
    done = 0.0
    for n in order:
        done += blocks[n].instructions * blocks[n].chosen.weight
        if done >= half:
            break
    alike = [m for m in order if blocks[m].instructions == blocks[n].instructions]
    return sorted(alike)[len(alike) // 2]


def _visible(counting: CounterRows) -> dict[int, int]:
    """Returns, by number of a counter's row, the place of its instruction among those that are reported."""
    shown = [n for n, (instruction, _) in enumerate(counting.rows) if not instruction.opcode.startswith("%")]
    return {n: place for place, n in enumerate(shown)}


def _row_to_json(row: RowCounts) -> Message:
    return {
        "line": row.line,
        "text": row.text,
        "opcode": row.opcode,
        "modifiers": list(row.modifiers),
        "block": row.block,
        "array": row.array,
    }


def _operands(counting: CounterRows) -> list[Message]:
    return [operands_of(counting.rows[n][0]) for n in _visible(counting)]


def _lines(traces: Traces, places: dict[int, int], counting: CounterRows) -> list[list[float]]:
    """Returns, by row, the mean number of lines of 128 bytes that a request touches, and the most sectors at one place
    of these lines: L1 delivers each of its places once a cycle."""
    touches = traces.touches()
    visible = _visible(counting)
    found = []
    for offset in np.unique(touches.rows).tolist():
        mine = touches.rows == offset
        request = touches.requests[mine]
        requests = 1 + int(np.count_nonzero(np.diff(request)))
        lines = touches.sectors[mine] // (LINE // SECTOR)
        number = np.concatenate([[0], np.cumsum(np.diff(request) != 0)])
        different = len(np.unique(number * (1 << 44) + (lines & ((1 << 44) - 1))))
        at_places = np.bincount(number * SECTORS + touches.sectors[mine] % SECTORS, minlength=SECTORS * requests)
        deep = int(at_places.reshape(-1, SECTORS).max(1).sum())
        found.append([visible[places[offset]], different / requests, deep / requests])
    return found


def traced_share(traces: Traces, counts: emulator.LaunchCounts, warps: int) -> float:
    """The share of their instructions that the traced warps of a block have; the rest came after the trace was full."""
    if not traces.steps_are_full:
        return 1.0
    mine, blocks = traces.steps()
    found = np.bincount(blocks, minlength=1 + max(row.block for row in counts.rows))
    executed = sum(row.executed for row in counts.rows) * len(np.unique(mine)) / warps
    traced = sum(min(row.executed, int(found[row.block])) for row in counts.rows)
    return min(1.0, traced / executed) if executed else 1.0


def _ways(traces: Traces) -> list[Message]:
    """The ways of the warps that share a scheduler with warp 0, equal ones once."""
    warps, blocks = traces.steps()
    found: dict[bytes, Message] = {}
    for warp in np.unique(warps).tolist():
        way = blocks[warps == warp]
        key = way.tobytes()
        if key in found:
            found[key]["warps"] += 1
        else:
            steps = shorten(way) if len(found) < WARPS else ()
            found[key] = {"warps": 1, "steps": [[step.block, step.weight] for step in steps], "length": len(way)}
    return [way for way in found.values() if way["steps"]]
