"""Names the local variable whose missing value an instruction of a debug build uses, and the way it came there.

It traces the unset register back: through copies on the only path, to the parameter it was passed as, to the local
memory it was loaded from. If one of these steps is not certain, there is no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import WARP
from grader.run.emulator.locals import Locals, Use
from grader.run.emulator.ptx.syntax import Address, Instruction, Register, Symbol, types_of
from grader.run.emulator.state import State
from grader.run.emulator.translate.assigned import passes_on, successors
from grader.run.emulator.translate.calls import arguments_of
from grader.run.emulator.translate.cfg import Block, Program, is_call
from grader.run.emulator.translate.storage import Storage, align_up, reads_and_writes

_STACK, _DEPOT = "%SP", "__local_depot"
"""NVVM's register for the start of a function's local variables, and its name for all of them."""
_MOST_STEPS = 64
_COPIED, _PASSED = "copied to", "passed as"


@dataclass(frozen=True)
class _At:
    """A place before an instruction of a block, in a function whose local memory begins at `frame` (bytes)."""

    block: Block
    position: int
    frame: int

    @property
    def instruction(self) -> Instruction:
        return self.block.instructions[self.position]


class UnsetNames:
    """Names the unset variables of one program."""

    def __init__(self, program: Program, storage: Storage, variables: Locals) -> None:
        self._program = program
        self._storage = storage
        self._variables = variables
        self._before = _only_predecessors(program)

    def words(self, state: State, lane: int, instruction: Instruction, use: Use) -> str:
        """Returns what a lane's use of a register reads: `x`, or `x`, copied to `y`; "" if it has no sure name."""
        block = self._program.blocks[use.block]
        position = next((n for n, other in enumerate(block.instructions) if other is instruction), None)
        if position is None:
            return ""
        at = _At(block, position, state.lane_word(WARP["frame"], lane))
        loaded = state.scratch("scratch", lane) - layout.LOCAL_WINDOW if use.loaded else None
        names: list[tuple[str, str]] = []
        for name, how in self._names(state, lane, at, use.register, loaded):
            if names and names[-1][0] == name:
                names.pop()
            names.append((name, how))
        if not names or names[-1][1] == _PASSED:
            return ""
        (first, _), *later = reversed(names)
        return ", ".join([f"`{first}`", *(f"{how} `{name}`" for name, how in later)]) + "," * bool(later)

    def _names(self, state: State, lane: int, at: _At, register: str, loaded: int | None) -> Iterator[tuple[str, str]]:
        """Yields, from the use backwards, the variables that held the value, and how each came to have it."""
        for _ in range(_MOST_STEPS):
            held = self._variables.in_register(at.block.function, at.instruction, register)
            if held is not None and held.own:
                yield held.name, _PASSED if held.parameter else _COPIED
            writer = self._writer(at, register)
            if writer is None:
                return
            sources = reads_and_writes(writer.instruction)[0]
            if passes_on(writer.instruction) and len(sources) == 1:
                at, register = writer, sources[0]
                continue
            if not writer.instruction.traits.is_load:
                return
            passed = self._passed(state, lane, writer)
            if passed is None:
                memory = self._memory(state, lane, writer, loaded)
                if memory:
                    yield memory, _COPIED
                return
            (at, register), loaded = passed, None

    def _writer(self, at: _At, register: str) -> _At | None:
        """Returns the writer of a register: on the only path there, or the only one, in the entry block."""
        block: Block | None = at.block
        position = at.position
        for _ in range(_MOST_STEPS):
            if block is None:
                break
            for number in reversed(range(position)):
                here = _At(block, number, at.frame)
                if register in reads_and_writes(here.instruction)[1]:
                    return here if here.instruction.predicate is None else None
            block = self._before.get(block.pc)
            position = len(block.instructions) if block is not None else 0
        entry = self._program.entries[at.block.function]
        writers = [
            _At(block, number, at.frame)
            for block in self._program.blocks
            if block.function == at.block.function
            for number, instruction in enumerate(block.instructions)
            if register in reads_and_writes(instruction)[1]
        ]
        sure = len(writers) == 1 and writers[0].block.pc == entry != at.block.pc
        return writers[0] if sure and writers[0].instruction.predicate is None else None

    def _caller(self, state: State, lane: int, at: _At) -> _At | None:
        """Returns the call that has led to a function; None in the kernel."""
        if at.block.function == self._program.kernel:
            return None
        back = state.lane_word(self._storage.frames[at.block.function].return_pc, lane)
        block = self._program.blocks[back - 1]
        if not (block.instructions and is_call(block.instructions[-1])):
            return None
        frame = self._storage.frames[block.function]
        begin = at.frame - align_up(frame.local_bytes, 16) - frame.saved_bytes
        return _At(block, len(block.instructions) - 1, begin)

    def _passed(self, state: State, lane: int, load: _At) -> tuple[_At, str] | None:
        """Returns where a caller stored the parameter that a load reads, and the register that it stored."""
        address = load.instruction.operands[1]
        parameters = [p.name for p in self._program.functions[load.block.function].parameters]
        if not (isinstance(address, Address) and isinstance(address.base, Symbol) and address.base.name in parameters):
            return None
        call = self._caller(state, lane, load)
        if call is None:
            return None
        _, arguments = arguments_of(call.instruction)
        argument = Address(Symbol(arguments[parameters.index(address.base.name)]), address.offset)
        for number in reversed(range(call.position)):
            store = call.block.instructions[number]
            if store.traits.is_store and store.operands[0] == argument and isinstance(store.operands[1], Register):
                return _At(call.block, number, call.frame), store.operands[1].name
        return None

    def _memory(self, state: State, lane: int, load: _At, loaded: int | None) -> str:
        """Returns the variable that a load reads, by the address it used or names; "" if that is not sure."""
        operand = load.instruction.operands[1]
        if isinstance(operand, Address) and operand.base == Register(_STACK):
            depot = self._depot(load.block.function)
            loaded = None if depot is None else load.frame + depot[1] + operand.offset
        kinds = types_of(load.instruction)
        at: _At | None = load
        if loaded is None or not kinds or not 0 <= loaded < state.wide("local_bytes"):
            return ""
        while at is not None and loaded < at.frame:
            at = self._caller(state, lane, at)
        depot = None if at is None else self._depot(at.block.function)
        if at is None or depot is None:
            return ""
        name, begin = depot
        inside = loaded - at.frame - begin
        return self._variables.in_memory(at.block.function, at.instruction, name, inside, kinds[-1].bytes)

    def _depot(self, function: str) -> tuple[str, int] | None:
        """Returns the name of a function's local variables as a whole, and their offset in its frame."""
        found = [item for item in self._storage.frames[function].local.items() if item[0].startswith(_DEPOT)]
        return found[0] if len(found) == 1 else None


def _only_predecessors(program: Program) -> dict[int, Block]:
    """Returns, by number, the only predecessor of a block, for blocks that have only one."""
    found: dict[int, list[Block]] = {}
    for block in program.blocks:
        for following in successors(program, block):
            found.setdefault(following, []).append(block)
    begins = set(program.entries.values())
    return {pc: before[0] for pc, before in found.items() if len(before) == 1 and pc not in begins}
