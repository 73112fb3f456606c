"""Makes a Trace of what a recorded launch left: sites become lines and variables, addresses become elements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.replay import model
from grader.replay.accesses import Columns, Group, read_first, values_after
from grader.replay.declared import declared_shape, declared_type
from grader.replay.device import Recorded
from grader.replay.layout import NAMED, TypeTable, variable_of
from grader.replay.model import Accesses, Column, GlobalArray, Mark, SharedArray, SourceFile, Steps, Variable, Waits
from grader.replay.steps import Level, Stack, Stepper
from grader.replay.trace import Trace
from grader.run.emulator import layout
from grader.run.emulator.journal import Journal
from grader.run.emulator.locals import Local
from grader.run.emulator.memory import Array
from grader.run.emulator.names import function_name, source_name
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.types import PtxType
from grader.run.emulator.translate import noting
from grader.run.emulator.translate.noting import Note
from grader.run.emulator.translate.storage import align_up

AROUND = 8
"""Elements shown to each side of one that was touched."""
MOST_ELEMENTS = 20_000
"""Elements of one array."""


@dataclass(frozen=True)
class About:
    """What the judge knows of the arrays of a problem: by name, C type, encoding and role."""

    types: Mapping[str, tuple[str, str]]
    roles: Mapping[str, str]


class Assembler:
    """Makes one Trace of what the emulator's journals hold: steps, accesses, variables, arrays, waits, faults."""

    def __init__(self, recorded: Recorded, file: SourceFile, about: About) -> None:
        self._recorded = recorded
        self._file = file
        self._about = about
        translation = recorded.translation
        assert translation.noted is not None
        self._noted = translation.noted
        self._storage, self._program = translation.storage, translation.program
        self._types = TypeTable()
        self._variables: list[Variable] = []
        self._numbers: dict[int, int] = {}
        self._functions: list[model.Function] = []
        self._function_numbers: dict[str, int] = {}
        self._locals: dict[str, list[Local]] = {}
        self._describe_functions()
        self._shared: list[SharedArray] = []
        self._shared_slots: dict[int, int] = {}
        self._arrays: list[Array] = []
        self._array_slots: dict[int, int] = {}
        self._touched: dict[int, set[int]] = {}
        self._writes, self._reads = Columns(), Columns()
        frames = {name: align_up(f.local_bytes, 16) + f.saved_bytes for name, f in self._storage.frames.items()}
        self._stepper = Stepper(self._noted.notes, self._program.kernel, frames)
        self._entries = 0
        self._faults: list[Mark] = []
        self._stored: dict[tuple[int, int], Note] = {}
        """The site that stores a variable first, by the variable and the byte in it."""

    def trace(self, **about: Any) -> Trace:
        """The trace; `about` are its fields that only the judge knows."""
        recorded = self._recorded
        self._describe_shared()
        for number, journal in enumerate(recorded.journals):
            self._follow(journal, recorded.blocks[number], number)
        truncated = self._stepper.truncated or any(journal.is_cut for journal in recorded.journals)
        steps = self._stepper
        blocks = tuple(_index(number, recorded.grid) for number in recorded.blocks)
        waits = sorted(steps.waits, key=lambda wait: wait[0])
        columns = np.array(waits, np.int64).reshape(-1, 5).T
        reads, writes = self._reads.accesses(), self._writes.accesses()
        arrays = tuple(self._global_arrays(reads, writes))
        return Trace(
            kernel=function_name(recorded.symbol),
            grid=recorded.grid,
            block_dim=recorded.block,
            block=blocks[0],
            blocks=blocks,
            truncated=truncated,
            files=(self._file,),
            functions=tuple(self._functions),
            types=tuple(self._types.found),
            variables=tuple(self._with_arguments()),
            shared=tuple(self._shared),
            arrays=arrays,
            marks=tuple(self._faults),
            steps=Steps(
                *(np.array(steps.warps, np.int64), np.array(steps.masks, np.int64)),
                *(np.zeros(len(steps.warps), np.int64), np.array(steps.lines, np.int64)),
                np.array([self._function_numbers[name] for name in steps.functions], np.int64),
                *(np.array(steps.depths, np.int64), np.array(steps.parents, np.int64)),
            ),
            writes=writes,
            reads=reads,
            waits=Waits(*columns),
            **about,
        )

    # What there is

    def _describe_functions(self) -> None:
        for name, function in self._program.functions.items():
            body = [item for item in function.body or () if isinstance(item, Instruction)]
            lines = [i.line for i in body if i.line]
            if not lines:
                continue
            number = self._function_numbers[name] = len(self._functions)
            span = (min(lines), max(lines))
            self._functions.append(model.Function(function_name(name), 0, *span))
            self._locals[name] = self._noted.locals.of(name)
            for local in self._locals[name]:
                self._numbers[id(local)] = len(self._variables)
                kind = self._types.of_local(self._noted.locals, local)
                self._variables.append(variable_of(local, kind, number, body, span))

    def _with_arguments(self) -> list[Variable]:
        """The variables; the kernel's parameters begin with its arguments, which some builds never store."""
        kernel, arguments = self._function_numbers.get(self._program.kernel), self._recorded.arguments
        parameters = [v for v in self._variables if v.function == kernel and v.storage == "parameter"]
        sizes = [self._types.found[v.type].size for v in parameters]
        if sizes != [len(each) for each in arguments]:
            return self._variables
        initial = {id(v): int.from_bytes(each, "little") for v, each in zip(parameters, arguments, strict=True)}
        return [replace(v, initial=initial.get(id(v), v.initial)) for v in self._variables]

    def _describe_shared(self) -> None:
        recorded, storage = self._recorded, self._storage
        places = dict(storage.shared_offsets)
        if storage.dynamic_slot:
            places[storage.dynamic_slot] = (align_up(storage.static_shared_bytes, 16), recorded.shared_bytes)
        names = {slot: source_name(name) for name, slot in storage.shared.items()}
        kinds = self._kinds_of(shared=True)
        for slot, (offset, size) in sorted(places.items(), key=lambda place: place[1]):
            kind, declared = kinds.get(slot), declared_type(self._file.lines, names[slot])
            type = None if declared is None else self._types.of_name(declared, size)
            if type is None:
                type = self._types.of_ptx(kind) if kind is not None else self._types.of_width(*NAMED["unsigned char"])
            count = size // self._types.found[type].size
            self._shared_slots[slot] = len(self._shared)
            shape = declared_shape(self._file.lines, names[slot], count)
            address = layout.SHARED_WINDOW + layout.shared_address(slot)
            self._shared.append(SharedArray(names[slot], type, offset, shape, address))

    def _kinds_of(self, shared: bool) -> dict[int, PtxType]:
        """Returns, by slot, the type by which each array is accessed first."""
        kinds: dict[int, PtxType] = {}
        for journal in self._recorded.journals:
            sites, masks, rows = (journal.column(name) for name in ("site", "mask", "row"))
            addresses = journal.rows("addresses")
            entries = np.flatnonzero(rows >= 0)
            # Of each site the first access only.
            for entry in entries[np.sort(np.unique(sites[entries], return_index=True)[1])].tolist():
                note, mask = self._noted.notes[int(sites[entry])], int(masks[entry])
                if note.type is None or note.kind not in (noting.READ, noting.WRITE, noting.ATOMIC):
                    continue
                address = int(addresses[rows[entry], (mask & -mask).bit_length() - 1])
                if shared and (note.space == "shared" or address >> layout.SLOT_BITS == 1):
                    kinds.setdefault((address & ((1 << layout.SLOT_BITS) - 1)) >> layout.SHARED_SLOT_BITS, note.type)
                elif not shared and note.space != "shared":
                    kinds.setdefault(address >> layout.SLOT_BITS, note.type)
        return kinds

    # What happened

    def _follow(self, journal: Journal, block: int, number: int) -> None:
        sites, warps, masks, rows = (journal.column(name) for name in ("site", "warp", "mask", "row"))
        ends: dict[int, list[tuple[int, int]]] = {}
        for fault in journal.faults:
            ends.setdefault(max(fault.entries, 0), []).append((fault.warp, fault.lanes))
        first_warp = number * -(-math.prod(self._recorded.block) // 32)
        followed = self._stepper.run(sites, warps, masks, ends, first_warp)
        step_of, levels = followed.steps, followed.stacks
        steps = np.maximum(step_of, 0)
        addresses, values = journal.rows("addresses"), journal.rows("values").copy()
        self._settle_atomics(sites, masks, rows, addresses, values)
        # What a warp did before its first line is not in the trace: the journal begins there.
        filled = np.flatnonzero((rows[: len(steps)] >= 0) & (step_of >= 0))
        filled = filled[np.argsort(sites[filled], kind="stable")]
        for entries in np.split(filled, np.flatnonzero(np.diff(sites[filled])) + 1) if len(filled) else ():
            lanes = (masks[entries][:, None] >> np.arange(32) & 1).astype(bool)
            which, lane = np.nonzero(lanes)
            own = steps[entries][which]
            for at in np.flatnonzero(np.isin(steps[entries], list(followed.apart))).tolist():
                here = which == at
                own[here] = np.array(followed.apart[int(steps[entries[at]])])[lane[here]]
            group = Group(
                self._noted.notes[int(sites[entries[0]])],
                own,
                entries[which] + self._entries,
                32 * (warps[entries][which] + first_warp) + lane,
                addresses[rows[entries]][lanes],
                values[rows[entries]][lanes],
            )
            if group.note.kind == noting.VARIABLE:
                self._variable(group)
            else:
                read = group.note.kind in (noting.READ, noting.ATOMIC)
                self._access(self._reads if read else self._writes, group, levels)
        for fault in journal.faults:
            # The first entry of a journal that was cut there may be what comes after the fault.
            step = int(step_of[min(fault.entries, len(step_of)) - 1]) if len(step_of) and fault.entries > 0 else -1
            found = fault.fault
            thread = found.thread or (0, 0, 0)
            x, y, _ = self._recorded.block
            linear = thread[0] + x * (thread[1] + y * thread[2]) + 32 * first_warp
            words, array = found.message, source_name(found.array)
            index = -1 if found.index is None else found.index
            self._show_at(array, index)
            self._faults.append(Mark(model.FAULT, words, step, linear, array=array, index=index, space=model.GLOBAL))
        self._entries += len(sites)

    def _show_at(self, name: str, index: int) -> None:
        """Counts the element of a fault as touched, or the nearest there is: its access may be the only one."""
        for slot, array in self._recorded.arrays.items():
            if name and source_name(array.name) == name and self._array(slot) is not None:
                last, size = array.data.size - 1, array.data.itemsize
                self._touched.setdefault(slot, set()).add(size * max(min(index, last), 0))

    def _settle_atomics(
        self,
        sites: NDArray[Any],
        masks: NDArray[Any],
        rows: NDArray[Any],
        addresses: NDArray[Any],
        values: NDArray[Any],
    ) -> None:
        """Replaces what memory held after an atomic of all lanes by what each lane left there."""
        changed = [site for site, note in enumerate(self._noted.notes) if note.kind == noting.CHANGED]
        # The first entry's other half may have been left out.
        for entry in np.flatnonzero(np.isin(sites[1:], changed)).tolist():
            before, after = rows[entry], rows[entry + 1]
            lanes = np.flatnonzero(masks[entry + 1] >> np.arange(32) & 1)
            values[after, lanes] = values_after(addresses[after, lanes], values[before, lanes], values[after, lanes])

    def _variable(self, group: Group) -> None:
        number = self._numbers.get(id(group.note.local))
        if number is not None:
            size = min(self._types.found[self._variables[number].type].size, 8)
            call = np.array(self._stepper.parents, np.int64)[group.steps]
            everyone, targets = np.ones(len(group.steps), bool), np.full(len(group.steps), number)
            handed = self._handed_over(group, targets, targets * 0, call)
            self._writes.add(handed, everyone, 0, space=0, target=number, size=size, call=call)

    def _handed_over(self, group: Group, targets: Column, insides: Column, calls: Column) -> Group:
        """Arguments are stored in a function's first step, but have their values when it begins: the writes that do so
        count to the step of the call."""
        moved = np.zeros(len(targets), bool)
        for target, inside in set(zip(targets.tolist(), insides.tolist(), strict=True)):
            first = self._stored.setdefault((target, inside), group.note)
            if first is group.note and self._variables[target].storage == "parameter":
                moved |= (targets == target) & (insides == inside)
        if not moved.any():
            return group
        parents = np.array(self._stepper.parents, np.int64)
        begins = np.zeros(len(parents), bool)
        begins[np.unique(parents, return_index=True)[1]] = True
        moved &= (calls >= 0) & begins[group.steps]
        return replace(group, steps=np.where(moved, calls, group.steps))

    def _access(self, columns: Columns, group: Group, levels: dict[int, Stack]) -> None:
        """Adds a group of accesses, by the places that its addresses lie in."""
        window = np.minimum((group.where >> np.uint64(layout.SLOT_BITS)).astype(np.int64), 3)
        known = {"shared": 1, "local": 2, "global": 3}
        spaces = window if group.note.space == "generic" else np.full(len(window), known[group.note.space])
        for space in np.unique(spaces).tolist():
            if space == 2:
                if columns is self._writes:
                    self._local(group, spaces == space, levels)
            else:
                self._in_slots(columns, group, spaces == space, shared=space == 1)

    def _in_slots(self, columns: Columns, group: Group, chosen: NDArray[Any], shared: bool) -> None:
        where = group.where & np.uint64((1 << layout.SLOT_BITS) - 1) if shared else group.where
        slots = (where >> np.uint64(layout.SHARED_SLOT_BITS if shared else layout.SLOT_BITS)).astype(np.int64)
        for slot in np.unique(slots[chosen]).tolist():
            here = chosen & (slots == slot)
            begin = layout.shared_address(slot) if shared else layout.array_address(slot)
            offsets = (where[here] - np.uint64(begin)).astype(np.int64)
            target = self._shared_slots.get(slot) if shared else self._array(slot)
            if target is None:
                continue
            if not shared:
                self._touched.setdefault(slot, set()).update(np.unique(offsets).tolist())
            columns.add(group, here, offsets, space=1 if shared else 2, target=target, size=group.note.width, call=-1)

    def _array(self, slot: int) -> int | None:
        if slot not in self._array_slots:
            array = self._recorded.arrays.get(slot)
            if array is None or slot < layout.FIRST_VARIABLE_SLOT:
                return None
            self._array_slots[slot] = len(self._arrays)
            self._arrays.append(array)
        return self._array_slots[slot]

    def _local(self, group: Group, chosen: NDArray[Any], levels: dict[int, Stack]) -> None:
        """Writes to local memory: of the function that runs, or of one that called it and passed an address on."""
        offsets = (group.where & np.uint64((1 << layout.SLOT_BITS) - 1)).astype(np.int64).tolist()
        places: dict[tuple[str, int], tuple[int, int] | None] = {}
        targets, insides, calls = (np.zeros(len(offsets), np.int64) for _ in range(3))
        found = np.zeros(len(offsets), bool)
        entries, threads = (group.entries - self._entries).tolist(), group.threads.tolist()
        for at in np.flatnonzero(chosen).tolist():
            level: Level | None = levels[entries[at]][threads[at] % 32]
            function = group.note.function
            while level is not None and offsets[at] < level.base:
                level = level.caller
                function = level.function if level is not None else ""
            if level is None:
                continue
            key = function, offsets[at] - level.base
            if key not in places:
                depots = self._storage.frames[function].local.items()
                hits = (self._local_at(function, name, key[1] - depot, group.note) for name, depot in depots)
                places[key] = next((hit for hit in hits if hit is not None), None)
            place = places[key]
            if place is not None:
                found[at], targets[at], insides[at], calls[at] = True, *place, level.step
        size = group.note.width
        handed = self._handed_over(group, targets, insides, np.where(found, calls, -1))
        self._writes.add(handed, found, insides[found], space=0, target=targets[found], size=size, call=calls[found])

    def _local_at(self, function: str, depot: str, offset: int, note: Note) -> tuple[int, int] | None:
        """The variable at an offset of a function's local memory, and the offset in it."""
        found = []
        for local in self._locals.get(function, ()):
            for place in local.places:
                number = self._numbers[id(local)]
                if place.symbol != depot or place.offset is None:
                    continue
                inside = offset - place.offset
                if 0 <= inside < self._types.found[self._variables[number].type].size:
                    here = function != note.function or place.begin <= note.instruction < place.end
                    found.append((not here, number, inside))
        return min(found)[1:] if found else None

    # Global arrays

    def _global_arrays(self, reads: Accesses, writes: Accesses) -> list[GlobalArray]:
        slots = zip(self._array_slots, self._arrays, strict=True)
        return [self._global(slot, array, reads, writes) for slot, array in slots]

    def _global(self, slot: int, array: Array, reads: Accesses, writes: Accesses) -> GlobalArray:
        name = source_name(array.name)
        flat = array.data.reshape(-1)
        c_type, encoding = self._about.types.get(array.name, ("", ""))
        if array.plain or not c_type:
            c_type, encoding, flat = self._untyped(slot, flat)
        size = flat.dtype.itemsize
        type = self._types.of_width(c_type, size, encoding)
        bits = flat.view(f"u{size}")
        wanted: set[int] = set()
        for offset in sorted(self._touched.get(slot, ())):
            index = offset // size
            wanted.update(range(max(index - AROUND, 0), min(index + AROUND + 1, flat.size)))
            if len(wanted) > MOST_ELEMENTS:
                break
        shown = np.array(sorted(wanted), np.int64)
        # Bytes behind the last whole element belong to none.
        known = self._recorded.known[slot][: flat.size * size].reshape(-1, size)
        shown = shown[known[shown].all(axis=1)]
        whole = dict(zip(shown.tolist(), bits[shown].tolist(), strict=True))
        shape = tuple(array.data.shape) if flat.size == array.data.size else (flat.size,)
        role = self._about.roles.get(array.name, "scratch")
        if role != "input" and any(journal.begin for journal in self._recorded.journals):
            # What the steps that were left out have written is not known otherwise.
            whole = read_first(reads, writes, self._array_slots[slot], size)
        return GlobalArray(name, type, shape, role, whole, address=array.address)

    def _untyped(self, slot: int, flat: NDArray[Any]) -> tuple[str, str, NDArray[Any]]:
        """What scratch or a variable holds, by the first access to it."""
        kind = self._kinds_of(shared=False).get(slot)
        data = np.ascontiguousarray(flat).view(np.uint8)
        if kind is None or kind.bytes not in (1, 2, 4, 8):
            return "unsigned char", "unsigned", data
        found = self._types.found[self._types.of_ptx(kind)]
        return found.name, found.encoding, data[: data.size // kind.bytes * kind.bytes].view(f"u{kind.bytes}")


def _index(number: int, extents: tuple[int, int, int]) -> tuple[int, int, int]:
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)
