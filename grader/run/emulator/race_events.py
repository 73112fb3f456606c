"""Reports what the race checks find: races, and reads of unwritten memory."""

from __future__ import annotations

import math
from dataclasses import replace

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault
from grader.run.emulator.fields import is_of_field
from grader.run.emulator.findings import Finding, Findings
from grader.run.emulator.native.records import SITE_MASK, SITE_SHIFT
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.races import Access, Order, Race, access_of, element_bytes
from grader.run.emulator.state import Shape, State
from grader.run.emulator.translation import Translation
from grader.run.emulator.where import Place, Where


class RaceEvents:
    """The findings of one launch about races and unwritten memory.

    Races in `compilers_own` are not reported: shared memory of this name is laid out by the compiler, and submissions
    have no access to it.
    """

    def __init__(
        self, translation: Translation, shape: Shape, where: Where, findings: Findings, compilers_own: str
    ) -> None:
        self._compilers_own = compilers_own
        self._sites = translation.sites
        self._program = translation.program
        self._shape = shape
        self._where = where
        self._findings = findings
        self._order: Order | None = None
        self._accesses: dict[int, tuple[str, int, int]] = {}

    def access(self, state: State, kind: int, site: int, lane: int, count: int) -> None:
        """Reports a race, or a read of unwritten memory; the thread continues."""
        instruction = self._sites[site]
        verb, size, element = self._about(instruction)
        place = self._place(state.wide("at"), element)
        here = Access(verb, instruction, state.block_index, state.thread_index(lane), state.linear(lane))
        if kind != layout.EVENT_UNINITIALIZED and state.word("other_access") >> SITE_SHIFT & SITE_MASK == SITE_MASK:
            key = (layout.EVENT_OUT_OF_BOUNDS, site, place.words if place.freed else place.array)
            if self._findings.add(key, state.block, 1):
                where = "in memory that has been freed:" if place.freed else "outside of"
                message = f"{verb} of {size} bytes {where} {place.words}"
                fault = self._fault("out_of_bounds", message, here, place, size)
                self._findings.put(key, Finding((state.block, count), fault, 1))
            return
        of_heap = state.wide("at") >> layout.SLOT_BITS in layout.HEAP_SLOTS
        if kind == layout.EVENT_UNINITIALIZED and of_heap and is_of_field(self._program, instruction):
            return
        if kind in (layout.EVENT_UNINITIALIZED, layout.EVENT_STALE):
            key = (kind, site, place.array)
            if self._findings.add(key, state.block, 1):
                unset_shared = kind == layout.EVENT_UNINITIALIZED and not state.wide("at") >> layout.SLOT_BITS
                told = (
                    self._unwritten(place, size, unset_shared)
                    if kind == layout.EVENT_UNINITIALIZED
                    else self._stale(state, here, place)
                )
                fault = replace(self._fault(*told, here, place, size), unset_shared=unset_shared)
                self._findings.put(key, Finding((state.block, count), fault, 1))
            return
        if self._compilers_own and place.array == self._compilers_own:
            return
        self._order = self._order or Order(self._program, math.prod(self._shape.block))
        other = self._other(state)
        under_way = state.word("other_pending")
        race = self._order.unfinished(other, here) if under_way else self._order.race(here, other)
        key = (kind, self._site_of(race, site, state), place.array)
        known = self._findings.get(key)
        block = min(state.block, state.word("other_block"))
        if self._findings.add(key, block, 1) or (
            known is not None and known.order[0] == block and known.weight < race.weight
        ):
            order = known.order if known is not None and known.order[0] == block else (block, count)
            message = race.message(place.words, kind == layout.EVENT_SAME_VALUE)
            fault = self._fault("data_race", message, race.second, place, size)
            self._findings.put(key, Finding(order, fault, 1, race.weight))

    def _site_of(self, race: Race, site: int, state: State) -> int:
        """Returns the site of the access named second, since the workers decide which of the two came later."""
        other = state.word("other_access") >> SITE_SHIFT & SITE_MASK
        return site if race.second.instruction is self._sites[site] else other

    @staticmethod
    def _unwritten(place: Place, size: int, shared: bool) -> tuple[str, str]:
        who = "no thread of the block" if shared else "nobody"
        return "uninitialized_read", f"read of {size} bytes that {who} has written: {place.words}"

    def _stale(self, state: State, here: Access, place: Place) -> tuple[str, str]:
        writer = self._sites[state.word("other_access") >> SITE_SHIFT & SITE_MASK]
        return "data_race", (
            f"line {here.line} reads {place.words} through the read-only cache, and line {writer.line} of the same "
            "kernel writes it: the cache may hold what was there before; leave out __ldg or __restrict__, or read it "
            "in the next launch"
        )

    def _about(self, instruction: Instruction) -> tuple[str, int, int]:
        """Returns verb, bytes, and the bytes of an element: a race is told by each thread that takes part in it."""
        known = self._accesses.get(id(instruction))
        if known is None:
            known = self._accesses[id(instruction)] = (*access_of(instruction), element_bytes(instruction))
        return known

    def _place(self, address: int, size: int) -> Place:
        if address >> layout.SLOT_BITS:
            return self._where.in_global(address, size)
        return self._where.in_shared(address, size)

    def _other(self, state: State) -> Access:
        linear = state.word("other_thread")
        instruction = self._sites[state.word("other_access") >> SITE_SHIFT & SITE_MASK]
        block = self._shape.block_index(state.word("other_block"))
        return Access(self._about(instruction)[0], instruction, block, self._shape.thread_index(linear), linear)

    def _fault(self, kind: str, message: str, access: Access, place: Place, size: int) -> Fault:
        return Fault(
            kind,
            message,
            line=access.line,
            kernel=self._program.kernel,
            access=access.verb,
            bytes=size,
            array=place.array,
            index=place.index,
            extent=place.extent,
            itemsize=place.itemsize,
            block=access.block,
            thread=access.thread,
            instruction=access.instruction.text,
        )
