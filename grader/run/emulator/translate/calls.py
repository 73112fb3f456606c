"""Calls of device functions: direct, recursive and by address.

Each register of a function has one place per lane. If a function can be active twice in a thread, its caller pushes the
registers to the lane's stack in local memory before the call, and pops them after it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from grader.run.emulator import layout
from grader.run.emulator.layout import WARP
from grader.run.emulator.native.access import Access, access_routine
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.native.threads import retire_routine
from grader.run.emulator.ptx.syntax import Function, Group, Instruction, Operand, Symbol
from grader.run.emulator.ptx.types import B64
from grader.run.emulator.translate.cfg import Block, Program, callee, is_call
from grader.run.emulator.translate.dispatch import Dispatcher
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.parameters import WORD_STRIDE, copy_area
from grader.run.emulator.translate.storage import CallAreas, Storage, align_up


def arguments_of(instruction: Instruction) -> tuple[list[str], list[str]]:
    """Returns the names of the call's result parameters and of its argument parameters."""

    def names(operand: Operand) -> list[str]:
        items = operand.items if isinstance(operand, Group) else ()
        return [item.name for item in items if isinstance(item, Symbol)]

    groups = [(index, o) for index, o in enumerate(instruction.operands) if isinstance(o, Group)]
    target = next(i for i, o in enumerate(instruction.operands) if not isinstance(o, Group))
    results = [n for i, o in groups if i < target for n in names(o)]
    arguments = [n for i, o in groups if i > target for n in names(o)]
    return results, arguments


class CallCompiler:
    """Emits the calls and returns of one program; `local_bytes` is the local memory of a lane, in bytes."""

    def __init__(self, program: Program, storage: Storage, dispatcher: Dispatcher) -> None:
        self._program = program
        self._storage = storage
        self._dispatcher = dispatcher
        self._pending: dict[int, Instruction] = {}
        for block in program.blocks:
            if block.instructions and is_call(block.instructions[-1]):
                self._pending[block.pc + 1] = block.instructions[-1]
        self.local_bytes = self._stack_bytes()

    def _stack_bytes(self) -> int:
        if self._program.recursive:
            return layout.STACK_BYTES
        total = sum(align_up(frame.local_bytes, 16) for frame in self._storage.frames.values())
        alone = len(self._storage.frames) == 1
        kernel = self._storage.frames[self._program.kernel]
        return kernel.local_bytes if alone else total

    def _areas(self, name: str | None) -> CallAreas:
        """Returns the places of a function's parameters and results; with None, of functions called by address."""
        if name is None:
            return self._storage.by_address
        function, frame = self._program.functions[name], self._storage.frames[name]
        parameters = tuple(frame.areas[p.name] for p in function.parameters)
        return CallAreas(parameters, tuple(frame.areas[p.name] for p in function.results), frame.return_pc)

    def _frame_bytes(self, name: str) -> int:
        frame = self._storage.frames[name]
        return align_up(frame.local_bytes, 16) + frame.saved_bytes

    # Calling

    def call(self, emitter: Emitter, instruction: Instruction, here: int, lanes_left: Callable[[], str]) -> None:
        """Ends a block with a call: passes the parameters, grows the stack, and goes to the function's entry."""
        f = emitter.f
        name = callee(instruction)
        if name is not None and name not in self._program.functions:
            raise emitter.unsupported(f"the device function {name}")
        caller = emitter.function.name
        pointer: Operand = next(o for o in instruction.operands if not isinstance(o, Group))
        address = emitter.read(pointer, B64) if name is None else None
        emitter.flush()
        targets = tuple(self._program.addressed) if name is None else (name,)
        if not targets:
            raise emitter.unsupported("a call by address without a function whose address is taken")
        if caller in self._program.recursive:
            self._push(emitter)
        areas = self._areas(name)
        results, arguments = arguments_of(instruction)
        self._check_sizes(emitter, targets, results, arguments)
        for argument, place in zip(arguments, areas.parameters, strict=False):
            size = emitter.function.call_parameters[argument].size
            copy_area(emitter, emitter.frame.areas[argument], place, size)
        self._grow_stack(emitter, caller, targets)
        lanes = lanes_left()
        back = areas.return_pc
        old = f.load_lanes("i32", "%warp", back)
        f.store_lanes(f.select(f.mask(lanes), splat("i32", here + 1), old), "%warp", back)
        if address is None:
            self._dispatcher.set_counters(lanes, splat("i32", self._program.entries[targets[0]]))
        else:
            self._dispatch(emitter, address, lanes)
        self._dispatcher.schedule()

    def _check_sizes(
        self, emitter: Emitter, targets: tuple[str, ...], results: list[str], arguments: list[str]
    ) -> None:
        """Refuses a value that does not fit the callee's place for it: a function pointer's type may be wrong."""
        functions = [self._program.functions[target] for target in targets]
        for names, lists in (
            (arguments, [f.parameters for f in functions]),
            (results, [f.results for f in functions]),
        ):
            places = [max(p.size for p in column if p is not None) for column in zip_longest(*lists)]
            for name, place in zip(names, places, strict=False):
                if emitter.function.call_parameters[name].size > align_up(place, 4):
                    raise emitter.unsupported(f"a call whose value {name} is larger than what the function declares")

    def _dispatch(self, emitter: Emitter, address: V, lanes: str) -> None:
        f = emitter.f
        base = layout.FUNCTION_SLOT << layout.SLOT_BITS
        known = splat("i1", 0)
        pcs = splat("i32", 0)
        for name, index in self._program.addressed.items():
            here = f.compare("icmp eq", address, splat("i64", base + index))
            pcs = f.select(here, splat("i32", self._program.entries[name]), pcs)
            known = f.op("or", known, here)
        self._dispatcher.set_counters(lanes, pcs)
        wild = f.let(f"and i32 {lanes}, {f.bits(f.invert(known))}")
        report(f, layout.EVENT_BAD_CALL, str(emitter.site()), wild)
        f.call(retire_routine(f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {wild}"])

    def _grow_stack(self, emitter: Emitter, caller: str, targets: tuple[str, ...]) -> None:
        f = emitter.f
        growth = self._frame_bytes(caller)
        frame = f.load_lanes("i32", "%warp", WARP["frame"])
        grown = f.op("add", frame, splat("i32", growth))
        f.store_lanes(f.select(emitter.active, grown, frame), "%warp", WARP["frame"])
        if self._program.recursive:
            need = max(self._frame_bytes(target) for target in targets)
            over = f.compare("icmp ugt", grown, splat("i32", layout.STACK_BYTES - need))
            bits = f.let(f"and i32 {f.bits(over)}, {emitter.active_bits}")
            report(f, layout.EVENT_STACK, str(emitter.site()), bits)

    # Returning

    def give_back(self, emitter: Emitter, lanes: str) -> None:
        """Ends a block with a return of these lanes to their callers."""
        back = emitter.f.load_lanes("i32", "%warp", emitter.frame.return_pc)
        self._dispatcher.set_counters(lanes, back)
        self._dispatcher.schedule()

    def after_call(self, emitter: Emitter, block: Block) -> None:
        """Begins the block after a call: restores the caller's frame and registers, and fetches the results."""
        instruction = self._pending.get(block.pc)
        if instruction is None:
            return
        f = emitter.f
        emitter.begin(Instruction("", (), (), line=instruction.line, text=instruction.text))
        frame = f.load_lanes("i32", "%warp", WARP["frame"])
        shrunk = f.op("sub", frame, splat("i32", self._frame_bytes(block.function)))
        f.store_lanes(f.select(emitter.active, shrunk, frame), "%warp", WARP["frame"])
        results, _ = arguments_of(instruction)
        for result, place in zip(results, self._areas(callee(instruction)).results, strict=False):
            size = emitter.function.call_parameters[result].size
            copy_area(emitter, place, emitter.frame.areas[result], size)
        if block.function in self._program.recursive:
            self._pop(emitter)

    # The stack of recursive functions

    def _saved_words(self, function: Function) -> list[tuple[str, int]]:
        """Returns (LLVM lane type, state offset) of everything that a recursive call would overwrite."""
        frame = self._storage.frames[function.name]
        words: list[tuple[str, int]] = [("i32", frame.return_pc)]
        for name, offset in frame.registers.items():
            kind = function.registers[name]
            words.append(("pred" if kind.kind == "pred" else f"i{max(kind.width, 8)}", offset))
        for parameter in function.parameters:
            area = frame.areas[parameter.name]
            words += [("i32", area.at + word * WORD_STRIDE) for word in range(area.size // 4)]
        return words

    def _stack_address(self, emitter: Emitter) -> V:
        f = emitter.f
        frame = f.cast("zext", f.load_lanes("i32", "%warp", WARP["frame"]), "i64")
        depot = align_up(self._storage.frames[emitter.function.name].local_bytes, 16)
        return f.op("add", frame, splat("i64", depot))

    def _push(self, emitter: Emitter) -> None:
        f = emitter.f
        address = self._stack_address(emitter)
        site = emitter.site()
        for t, offset in self._saved_words(emitter.function):
            if t == "pred":
                value = f.cast("zext", f.mask(f.load("i32", "%warp", offset)), "i32")
            else:
                value = f.load_lanes(t, "%warp", offset)
            value = emitter.resize(value, "i64" if value.t == "i64" else "i32")
            for part in [value] if value.t == "i32" else self._halves(emitter, value):
                routine = access_routine(f.module, Access(True, "local", 4))
                arguments = [
                    "ptr %ctx",
                    "ptr %warp",
                    str(address),
                    f"i32 {emitter.active_bits}",
                    f"i32 {site}",
                ]
                f.call(routine, "void", [*arguments, str(part)])
                address = f.op("add", address, splat("i64", 4))

    def _pop(self, emitter: Emitter) -> None:
        f = emitter.f
        address = self._stack_address(emitter)
        site = emitter.site()
        for t, offset in self._saved_words(emitter.function):
            for half in range(2 if t == "i64" else 1):
                access = Access(False, "local", 4)
                arguments = [
                    "ptr %ctx",
                    "ptr %warp",
                    str(address),
                    f"i32 {emitter.active_bits}",
                    f"i32 {site}",
                ]
                value = V("i32", f.call(access_routine(f.module, access), access.returns, arguments))
                self._restore(emitter, t, offset, half, value)
                address = f.op("add", address, splat("i64", 4))

    def _halves(self, emitter: Emitter, value: V) -> list[V]:
        f = emitter.f
        low = f.cast("trunc", value, "i32")
        return [low, f.cast("trunc", f.op("lshr", value, splat("i64", 32)), "i32")]

    def _restore(self, emitter: Emitter, t: str, offset: int, half: int, value: V) -> None:
        f = emitter.f
        if t == "pred":
            bits = f.bits(f.compare("icmp ne", value, splat("i32", 0)))
            old = f.load("i32", "%warp", offset)
            kept = f.let(f"and i32 {old}, {f.let(f'xor i32 {emitter.active_bits}, -1')}")
            new = f.let(f"and i32 {bits}, {emitter.active_bits}")
            f.store("i32", f.let(f"or i32 {kept}, {new}"), "%warp", offset)
            return
        old_lanes = f.load_lanes(t, "%warp", offset)
        if t == "i64":
            wide = f.cast("zext", value, "i64")
            keep = splat("i64", 0xFFFFFFFF if half else ~0xFFFFFFFF)
            moved = f.op("shl", wide, splat("i64", 32)) if half else wide
            value = f.op("or", f.op("and", old_lanes, keep), moved)
        else:
            value = emitter.resize(value, t)
        f.store_lanes(f.select(emitter.active, value, old_lanes), "%warp", offset)
