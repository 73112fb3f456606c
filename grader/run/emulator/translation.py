"""Translates one kernel, with all functions it can reach, into an LLVM function that runs one warp.

The function continues at the warp's program counters until all lanes have exited, wait, or have used up a slice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.run.emulator import layout, pace
from grader.run.emulator.locals import Locals, Use
from grader.run.emulator.native.ir import LANES, IrModule, splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.native.skipped_barriers import record_skip
from grader.run.emulator.ops import find_handler
from grader.run.emulator.ptx.syntax import Instruction, PtxModule, Symbol
from grader.run.emulator.ptx.traits import Flow
from grader.run.emulator.ptx.types import B32
from grader.run.emulator.translate.barriers import emit_barrier
from grader.run.emulator.translate.calls import CallCompiler
from grader.run.emulator.translate.cfg import (
    Block,
    Program,
    build_program,
    ends_block,
    hands_over,
    is_builtin_call,
    is_call,
    is_heap_call,
    is_matrix,
    only_looks,
    synchronises,
)
from grader.run.emulator.translate.convergence import check_whole_warp, gather_lanes
from grader.run.emulator.translate.counter_rows import CounterRows
from grader.run.emulator.translate.counting import count_block, count_branch
from grader.run.emulator.translate.dispatch import LOST_SITE, Dispatcher
from grader.run.emulator.translate.emitter import Emitter, Sites
from grader.run.emulator.translate.granules import Checks, choose_checks
from grader.run.emulator.translate.noting import Noted, Recording
from grader.run.emulator.translate.pointers import Source, find_written_sources
from grader.run.emulator.translate.polls import Poll, find_polling_loops
from grader.run.emulator.translate.sanitizer import emit_meeting
from grader.run.emulator.translate.skips import Skips, find_skips
from grader.run.emulator.translate.spins import spins
from grader.run.emulator.translate.storage import Storage, assign_storage
from grader.run.emulator.translate.values import Places, Values

ENTRY = "kgrade_warp"
PRINTF_COST = 1 << 10
HEAP_COST = 1 << 8
MATRIX_COST = 32


@dataclass
class Translation:
    """A kernel's IR, and what is needed to launch it and to explain its faults."""

    ir: str
    program: Program
    storage: Storage
    sites: list[Instruction]
    local_bytes: int
    checks: Checks | None = None
    """The settings of the race checks; None if they are not part of the code."""
    written: frozenset[Source] | None = None
    """The origins of the pointers that the kernel writes through; None: unknown."""
    counting: CounterRows | None = None
    """The rows of its counters; None if nothing is counted."""
    copies: bool = False
    """Whether threads may have pending copies."""
    uses: dict[int, Use] | None = None
    """The uses of registers by site, if unset local variables are tracked."""
    followed: Locals | None = None
    """The local variables of a debug build."""
    noted: Noted | None = None
    """The sites of its journal."""
    loops: dict[int, Poll] = field(default_factory=dict)
    """The blocks in which a thread only waits for a barrier object."""
    skips: Skips = field(default_factory=Skips)
    """The branches that skip barriers of the block, if the race checks are part of the code."""
    hands_over: bool = False
    """Whether its blocks look at or set what others wait for."""
    stirred: bool = False
    """Whether the code lets blocks change at such places, so that the race checks see more than one order."""
    spins: bool = False
    """Whether its threads may wait for other blocks in a loop."""
    uses_heap: bool = False
    """Whether it may take memory of the heap."""

    @property
    def meets(self) -> bool:
        """Whether its blocks look at or set what others wait for, and change there."""
        return self.stirred and self.hands_over

    def first_of(self, blocks: int) -> int:
        """The number of the block that begins first where the race checks run so many; after the last follows block
        0."""
        return blocks // 2 if self.hands_over and blocks <= pace.TURNED_BLOCKS else 0


def translate(
    module: PtxModule,
    kernel: str,
    variables: dict[str, int],
    masked_stores: bool,
    sanitize: bool = False,
    count: bool = False,
    followed: Locals | None = None,
    noted: Noted | None = None,
) -> Translation:
    """Translates a kernel.

    With `sanitize`, accesses to shared and global memory are checked for races. With `count`, costs are counted. With
    `followed`, the local variables of a debug build, uses of unset ones are reported. With `noted`, what is done is
    entered into the launch's journal.
    Raises UnsupportedPtx.
    """
    # What is replayed, counted or followed has one order.
    stirred = sanitize and not count and followed is None and noted is None
    program = build_program(module, kernel, apart=stirred)
    storage = assign_storage(program, module, variables, noted.kept_registers(program) if noted is not None else {})
    ir_module = IrModule()
    sites = Sites()
    assert sites.add(Instruction("ret", (), (), text="ret;")) == LOST_SITE
    checks = choose_checks(module, program) if sanitize else None
    counting = CounterRows(len(program.blocks)) if count else None
    dispatcher = Dispatcher(ir_module, ENTRY, len(program.blocks), patient=count)
    calls = CallCompiler(program, storage, dispatcher)
    loops = find_polling_loops(program)
    waits = {id(poll.instruction) for poll in loops.values()}
    skips = find_skips(program) if sanitize else Skips()
    places = Places(program, storage) if followed is not None else None
    for block in program.blocks:
        function = program.functions[block.function]
        emitter = Emitter(dispatcher.f, function, storage, program.addressed, sites, masked_stores, checks, counting)
        emitter.give_way = dispatcher.give_way
        emitter.waits_so_far, emitter.settle_waits = dispatcher.waits_so_far, dispatcher.settle_waits
        emitter.waits = waits
        emitter.stirred = stirred
        emitter.values = Values(emitter, places, block.pc) if places is not None else None
        if noted is not None:
            emitter.recorder = Recording(emitter, noted, program, block)
        try:
            _BlockCompiler(block, program, emitter, dispatcher, calls, skips).compile()
        except (LookupError, ValueError, AssertionError, StopIteration, TypeError) as error:
            # Inline assembly gets here unchecked: what is not PTX is reported like an unknown instruction.
            raise emitter.unsupported() from error
    ir_module.add(dispatcher.f)
    if places is not None:
        places.close()
    written = find_written_sources(module, program) if sanitize else None
    copies = any(i.traits.asynchronous for block in program.blocks for i in block.instructions)
    return Translation(
        ir_module.text(),
        program,
        storage,
        sites.instructions,
        calls.local_bytes,
        checks,
        written,
        counting,
        copies,
        places.uses if places is not None else None,
        followed,
        noted,
        loops,
        skips,
        any(hands_over(i) for block in program.blocks for i in block.instructions),
        stirred,
        spins(program),
        any(is_heap_call(i) for block in program.blocks for i in block.instructions),
    )


def _may_wait(instruction: Instruction) -> bool:
    """Whether a spinning thread executes it: atomics, and loads that other threads' stores should change."""
    return instruction.traits.is_atomic or bool({"volatile", "acquire", "relaxed"} & set(instruction.modifiers))


def _cost(instruction: Instruction) -> int:
    """Returns what an instruction counts against the budget.

    What a spinning thread executes counts once per lane, so that its warp soon yields to the one it waits for;
    `Dispatcher.settle_waits` says when that is taken back. A call of printf counts what formatting takes, and a matrix
    instruction what its arithmetic takes.
    """
    if is_builtin_call(instruction):
        return HEAP_COST if is_heap_call(instruction) else PRINTF_COST
    if is_matrix(instruction):
        return MATRIX_COST
    return LANES if instruction.traits.polls or _may_wait(instruction) else 1


class _BlockCompiler:
    def __init__(
        self,
        block: Block,
        program: Program,
        emitter: Emitter,
        dispatcher: Dispatcher,
        calls: CallCompiler,
        skips: Skips,
    ) -> None:
        self.block = block
        self.program = program
        self.emitter = emitter
        self.dispatcher = dispatcher
        self.calls = calls
        self.skips = skips

    def compile(self) -> None:
        emitter, dispatcher, block = self.emitter, self.dispatcher, self.block
        waiting = sum(_may_wait(i) for i in block.instructions)
        first = block.instructions[0] if block.instructions else None
        stirred = ""
        if emitter.stirred and first is not None and hands_over(first):
            stirred = "look_stirs" if only_looks(first) else "set_stirs"
        dispatcher.open(block.pc, sum(_cost(i) for i in block.instructions), waiting, stirred)
        if first is not None and synchronises(first):
            emitter.instruction = first
            together = gather_lanes(emitter, dispatcher, first, block.pc)
            emitter.enter(together)
            emit_meeting(emitter, together)
            if is_matrix(first):
                check_whole_warp(emitter, first, together)
        else:
            emitter.enter(dispatcher.active())
        count_block(emitter, block.pc)
        if isinstance(emitter.recorder, Recording):
            emitter.recorder.begin_block()
        if emitter.values is not None and block.pc == self.program.entries[block.function]:
            emitter.values.enter_function()
        self.calls.after_call(emitter, block)
        terminator: Instruction | None = None
        for instruction in block.instructions:
            emitter.begin(instruction)
            if emitter.counting is not None:
                emitter.counting.begin(instruction, block.pc)
            if emitter.values is not None:
                emitter.values.step(instruction)
            if isinstance(emitter.recorder, Recording):
                emitter.recorder.begin(instruction)
            if ends_block(instruction):
                terminator = instruction
                break
            if is_matrix(instruction) and instruction is not first:
                emit_meeting(emitter, emitter.active_bits)
            self._emit(instruction)
            if isinstance(emitter.recorder, Recording):
                emitter.recorder.end(instruction)
        if emitter.values is not None:
            emitter.values.flush()
        self._terminate(terminator)

    def _emit(self, instruction: Instruction) -> None:
        handler = find_handler(instruction)
        if handler is None or (instruction.parts and not instruction.traits.selects):
            raise self.emitter.unsupported()
        handler(self.emitter, instruction)

    def _lanes_left(self) -> str:
        emitter = self.emitter
        if emitter.faultable:
            return self.dispatcher.reap(emitter.active_bits)
        return emitter.active_bits

    def _terminate(self, instruction: Instruction | None) -> None:
        emitter, dispatcher, here = self.emitter, self.dispatcher, self.block.pc
        if instruction is None:
            emitter.flush()
            dispatcher.jump(self._lanes_left(), here, here + 1)
            return
        enders: dict[Flow, Callable[[Instruction], None]] = {
            Flow.BRANCH: self._branch,
            Flow.INDEXED_BRANCH: self._indexed_branch,
            Flow.RETURN: self._return,
            Flow.EXIT: self._exit,
            Flow.TRAP: self._trap,
        }
        if instruction.traits.flow in enders:
            enders[instruction.traits.flow](instruction)
        elif is_call(instruction):
            self.calls.call(emitter, instruction, here, self._lanes_left)
        else:
            emit_barrier(emitter, dispatcher, instruction, here, self._lanes_left, self.skips)

    def _target(self, name: str) -> int:
        return self.program.labels[self.block.function, name]

    def _branch(self, instruction: Instruction) -> None:
        emitter, dispatcher, here = self.emitter, self.dispatcher, self.block.pc
        destination = instruction.operands[0]
        assert isinstance(destination, Symbol)
        target = self._target(destination.name)
        taken = emitter.mask_bits if instruction.predicate else ""
        emitter.flush()
        lanes = self._lanes_left()
        if not taken:
            dispatcher.jump(lanes, here, target)
        else:
            count_branch(emitter, lanes, taken)
            gone = emitter.f.let(f"and i32 {taken}, {lanes}")
            self._record_skip(gone, target)
            self._record_skip(emitter.f.let(f"xor i32 {gone}, {lanes}"), here + 1)
            dispatcher.fork(lanes, gone, here, target, here + 1)

    def _indexed_branch(self, instruction: Instruction) -> None:
        emitter, f = self.emitter, self.emitter.f
        index, table = instruction.operands
        assert isinstance(table, Symbol)
        choice = emitter.read(index, B32)
        targets = self.program.functions[self.block.function].branch_targets[table.name]
        pcs = splat("i32", self._target(targets[-1]))
        for position, name in enumerate(targets[:-1]):
            here = f.compare("icmp eq", choice, splat("i32", position))
            pcs = f.select(here, splat("i32", self._target(name)), pcs)
        emitter.flush()
        lanes = self._lanes_left()
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {lanes}", "i1 false"])
        first = f.let(f"extractelement {pcs}, i32 {f.let(f'and i32 {leader}, {LANES - 1}')}")
        count_branch(emitter, lanes, f.bits(f.compare("icmp eq", pcs, f.spread("i32", first))))
        for pc in {self._target(name) for name in targets}:
            self._record_skip(f.let(f"and i32 {lanes}, {f.bits(f.compare('icmp eq', pcs, splat('i32', pc)))}"), pc)
        self.dispatcher.set_counters(lanes, pcs)
        self.dispatcher.schedule()

    def _record_skip(self, lanes: str, target: int) -> None:
        record_skip(self.emitter.f, lanes, self.skips.edges.get((self.block.pc, target), 0))

    def _return(self, instruction: Instruction) -> None:
        if self.emitter.function.entry:
            self._exit(instruction)
            return
        self.emitter.flush()
        self.calls.give_back(self.emitter, self._lanes_left())

    def _exit(self, instruction: Instruction) -> None:
        self.dispatcher.exit(self._lanes_left())

    def _trap(self, instruction: Instruction) -> None:
        emitter, f = self.emitter, self.emitter.f
        report(f, layout.EVENT_TRAP, str(emitter.site()), emitter.active_bits)
        self.dispatcher.exit(emitter.active_bits)
