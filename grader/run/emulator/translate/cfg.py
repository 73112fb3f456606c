"""Splits the functions that a kernel can reach into basic blocks; a block's number is its program counter.

Callees come before their callers, so that a warp that runs its smallest program counter first finishes a call before it
continues after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from grader.run.emulator.ptx.syntax import Function, Group, Immediate, Instruction, Label, PtxModule, Symbol
from grader.run.emulator.ptx.traits import Barrier, Flow, MatrixRole, Passing

BARRIER_RESULT = "%barrier_result"
MALLOC, ALIGNED_MALLOC, FREE = "malloc", "__cuda_syscall_aligned_malloc", "free"
HEAP_CALLS = {MALLOC, ALIGNED_MALLOC, FREE}
BUILTIN_CALLS = {"vprintf", "__assertfail", *HEAP_CALLS}


@dataclass
class Block:
    """A basic block. `pc` is its number in the whole program, `function` the function it belongs to."""

    pc: int
    function: str
    instructions: list[Instruction] = field(default_factory=list)

    @property
    def line(self) -> int:
        """The line of its first instruction that has one, 0 if none has."""
        return next((i.line for i in self.instructions if i.line), 0)


@dataclass
class Program:
    """All that one kernel can run.

    `entries`: the first block of each function. `labels`: (function, label) to block. `addressed`: the functions that a
    call by address can reach, with their numbers.
    """

    kernel: str
    functions: dict[str, Function]
    blocks: list[Block]
    entries: dict[str, int]
    labels: dict[tuple[str, str], int]
    addressed: dict[str, int]
    recursive: frozenset[str]


def is_warp_barrier(instruction: Instruction) -> bool:
    return instruction.traits.barrier is Barrier.WARP


def is_block_barrier(instruction: Instruction) -> bool:
    return instruction.traits.barrier is Barrier.BLOCK


def is_matrix(instruction: Instruction) -> bool:
    """Whether it takes all lanes of a warp together, without a mask that names them."""
    return instruction.traits.matrix is not MatrixRole.NONE


def synchronises(instruction: Instruction) -> bool:
    """Whether the lanes of a member mask, or all lanes of the warp, have to come together for it."""
    return instruction.traits.synchronises


def callee(instruction: Instruction) -> str | None:
    """Returns the called function's name; None for an indirect call."""
    for operand in instruction.operands:
        if isinstance(operand, Symbol):
            return operand.name
        if not isinstance(operand, Group):
            return None
    return None


def is_call(instruction: Instruction) -> bool:
    return instruction.traits.flow is Flow.CALL and callee(instruction) not in BUILTIN_CALLS


def is_builtin_call(instruction: Instruction) -> bool:
    return instruction.traits.flow is Flow.CALL and callee(instruction) in BUILTIN_CALLS


def is_heap_call(instruction: Instruction) -> bool:
    return instruction.traits.flow is Flow.CALL and callee(instruction) in HEAP_CALLS


def hands_over(instruction: Instruction) -> bool:
    """Whether it may look at or set what threads of other blocks wait for: a flag, a lock, a counter of arrivals."""
    traits, modifiers = instruction.traits, set(instruction.modifiers)
    if modifiers & {"shared", "shared::cta", "local", "param"} or (not traits.result and not traits.is_store):
        return False
    accesses = traits.is_load or traits.is_store
    return traits.is_atomic or (accesses and bool(modifiers & {"volatile", "relaxed", "acquire", "release"}))


def only_looks(instruction: Instruction) -> bool:
    """Whether an instruction that hands over may do so in a loop that waits: a load, or an atomic that often fails."""
    if not instruction.traits.is_atomic:
        return instruction.traits.is_load
    added = instruction.operands[-1]
    return "cas" in instruction.modifiers or (isinstance(added, Immediate) and added.value == 0)


def ends_block(instruction: Instruction) -> bool:
    """Whether a thread may not simply continue with the next instruction."""
    traits = instruction.traits
    return traits.branches or traits.leaves or is_block_barrier(instruction) or is_call(instruction)


def _symbols(function: Function) -> Iterator[str]:
    for item in function.body or ():
        if isinstance(item, Instruction) and item.traits.passing is Passing.WHOLE:
            for operand in item.operands[1:]:
                if isinstance(operand, Symbol):
                    yield operand.name


def _callees(function: Function, addressed: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for item in function.body or ():
        if isinstance(item, Instruction) and is_call(item):
            target = callee(item)
            found |= set(addressed) if target is None else {target}
    return found


def _post_order(start: str, calls: Mapping[str, Iterable[str]], seen: set[str]) -> list[str]:
    """Returns what `start` can reach, callees before callers; skips what is in `seen`, and extends it."""
    order: list[str] = []
    seen.add(start)
    path = [(start, iter(sorted(calls.get(start, ()))))]
    while path:
        name, others = path[-1]
        other = next((o for o in others if o not in seen), None)
        if other is None:
            order.append(name)
            path.pop()
        else:
            seen.add(other)
            path.append((other, iter(sorted(calls.get(other, ())))))
    return order


def _recursive(kernel: str, calls: Mapping[str, set[str]]) -> frozenset[str]:
    """Returns the functions that can be active twice at the same time in one thread: those that can reach themselves.

    They are in one strongly connected component with others (Kosaraju's algorithm), or call themselves.
    """
    order = _post_order(kernel, calls, set())
    callers: dict[str, list[str]] = {}
    for name in order:
        for target in calls.get(name, ()):
            callers.setdefault(target, []).append(name)
    found: set[str] = {name for name in order if name in calls.get(name, ())}
    seen: set[str] = set()
    for name in reversed(order):
        if name not in seen:
            component = _post_order(name, callers, seen)
            found |= set(component) if len(component) > 1 else set()
    return frozenset(found)


class _Splitter:
    def __init__(
        self, function: Function, blocks: list[Block], labels: dict[tuple[str, str], int], apart: bool
    ) -> None:
        self._function = function
        self._apart = apart
        self._blocks = blocks
        self._labels = labels
        self._begin = self._open().pc

    def _open(self) -> Block:
        block = Block(len(self._blocks), self._function.name)
        self._blocks.append(block)
        return block

    def _fresh(self) -> Block:
        """A block that nothing is in and that no call returns to: who jumps there has no frame to give back."""
        current = self._blocks[-1]
        before = self._blocks[-2].instructions if current.pc > self._begin else []
        return self._open() if current.instructions or (before and is_call(before[-1])) else current

    def split(self) -> None:
        for item in self._function.body or ():
            if isinstance(item, Label):
                self._labels[self._function.name, item.name] = self._fresh().pc
            else:
                self._add(item)
        last = self._blocks[-1].instructions
        if not last or not last[-1].traits.leaves or last[-1].predicate:
            self._blocks[-1].instructions.append(
                Instruction("ret", (), (), line=last[-1].line if last else 0, text="ret;")
            )

    def _add(self, instruction: Instruction) -> None:
        special = synchronises(instruction) or (ends_block(instruction) and instruction.traits.flow is not Flow.BRANCH)
        if special and instruction.predicate:
            self._skip_unless(instruction)
            return
        if is_block_barrier(instruction) or (synchronises(instruction) and not self._together(instruction)):
            self._fresh()
        if self._apart and hands_over(instruction):
            self._fresh()
        self._blocks[-1].instructions.append(instruction)
        if ends_block(instruction):
            following = self._open()
            if is_block_barrier(instruction) and "red" in instruction.modifiers:
                following.instructions.append(replace(instruction, opcode=BARRIER_RESULT))

    def _together(self, instruction: Instruction) -> bool:
        """Whether the whole warp is together already: a matrix instruction opened the block."""
        begun = self._blocks[-1].instructions
        return is_matrix(instruction) and bool(begun) and is_matrix(begun[0])

    def _skip_unless(self, instruction: Instruction) -> None:
        """Turns a predicated instruction that moves the program counter into a branch around it."""
        name = f"%after@{len(self._blocks)}"
        around = replace(
            instruction, opcode="bra", modifiers=(), operands=(Symbol(name),), negated=not instruction.negated
        )
        self._add(around)
        self._add(replace(instruction, predicate=None, negated=False))
        self._labels[self._function.name, name] = self._fresh().pc


def function_ids(module: PtxModule) -> dict[str, int]:
    """Returns the numbers of the functions whose address is taken: the offset of a function pointer in its slot."""
    defined = {name for name, function in module.functions.items() if function.body is not None and not function.entry}
    used = {symbol for f in module.functions.values() for symbol in _symbols(f)}
    used |= {symbol for v in module.variables.values() for _, symbol, _ in v.references}
    return {name: index for index, name in enumerate(sorted(defined & used))}


def build_program(module: PtxModule, kernel: str, apart: bool = False) -> Program:
    """Returns the blocks of `kernel` and of all functions that it can call.

    `apart`: what looks at or sets what threads of other blocks wait for begins a block, so that they may get a turn.
    """
    ids = function_ids(module)
    addressed = tuple(ids)
    calls = {name: _callees(function, addressed) for name, function in module.functions.items()}
    order = _post_order(kernel, calls, set())
    blocks: list[Block] = []
    labels: dict[tuple[str, str], int] = {}
    entries: dict[str, int] = {}
    functions = {}
    for name in order:
        function = module.functions.get(name)
        if function is None or function.body is None:
            continue
        functions[name] = function
        entries[name] = len(blocks)
        _Splitter(function, blocks, labels, apart).split()
    return Program(
        kernel,
        functions,
        blocks,
        entries,
        labels,
        {name: ids[name] for name in addressed if name in functions},
        _recursive(kernel, {name: targets for name, targets in calls.items() if name in functions}),
    )
