"""A loaded PTX module: its kernels, its variables, and launching.

It is usable on its own: it takes PTX, a launch geometry, arguments and memory, and gives effects and faults.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from grader.core.limits import SANITIZED_THREADS
from grader.run.emulator import layout
from grader.run.emulator.engine import CODEGEN_LEVEL, QUICK_LEVEL, InvalidIrError, Native, has_masked_stores
from grader.run.emulator.errors import UnsupportedPtx
from grader.run.emulator.faults import Fault, LaunchResult, Limits
from grader.run.emulator.journal import Journal
from grader.run.emulator.launch import Geometry, run_launch, written_slots
from grader.run.emulator.locals import Locals
from grader.run.emulator.memory import Memory
from grader.run.emulator.native.driver import ENTRY as DRIVER_ENTRY
from grader.run.emulator.native.driver import driver_ir
from grader.run.emulator.objects import Objects
from grader.run.emulator.ptx.lexer import PtxSyntaxError
from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.ptx.syntax import (
    ANY,
    Address,
    Bounds,
    Function,
    Group,
    Instruction,
    Operand,
    PtxModule,
    Symbol,
    Variable,
)
from grader.run.emulator.ptx.traits import Flow
from grader.run.emulator.refusals import launch_error
from grader.run.emulator.traces import Traces
from grader.run.emulator.translate.cfg import function_ids
from grader.run.emulator.translate.noting import Noted
from grader.run.emulator.translate.storage import parameter_areas
from grader.run.emulator.translation import ENTRY, Translation, translate
from grader.run.emulator.unset_shared import keep, settle

ASSEMBLY_MARK = "begin inline asm"
"""The comment that compilers put before each asm statement of the source."""


@dataclass(frozen=True)
class KernelImage:
    """What a kernel needs, in bytes: its parameters, static shared memory of a block, local memory of a thread."""

    parameter_bytes: tuple[int, ...]
    shared_bytes: int
    local_bytes: int
    bounds: Bounds = ANY
    """The launch bounds of its declaration."""


@dataclass
class _Compiled:
    translation: Translation
    native: Native
    driver: Native


class Module:
    """The text of one PTX module, loaded: parsed at once, each kernel compiled at its first launch.

    `objects` is where object code is found and stored.

    - `sanitize` checks launches of up to SANITIZED_THREADS threads for data races, and for reads of shared or global
      memory that nobody has written.
    - `count` fills `LaunchResult.counts`; such launches run on one core and are not checked for races.
    - `values` only checks for uses of local variables without a value; the PTX has to be that of a debug build.
    - `quick` compiles in less time to slower code.
    - `journal` lets launches enter what they do into a Journal, and checks for no races.

    `kernels` are the entry points by name. Raises UnsupportedPtx for text that is not PTX or that the emulator does not
    know.
    """

    def __init__(
        self,
        ptx: str,
        objects: Objects | None = None,
        sanitize: bool = False,
        count: bool = False,
        values: bool = False,
        quick: bool = False,
        journal: bool = False,
    ) -> None:
        self._sanitize = sanitize and not count and not values and not journal
        self._variables: Locals | None = None
        self._noted_variables: Locals | None = None
        self._count = count
        self._has_assembly = ASSEMBLY_MARK in ptx
        self._objects = objects or Objects()
        self._quick = quick
        self._compiled: dict[tuple[str, bool], _Compiled] = {}
        with self._blaming_ptx():
            self._ptx = parse_module(ptx)
            if values:
                self._variables = Locals(ptx, self._ptx)
            if journal:
                self._noted_variables = Locals(ptx, self._ptx)
            if values or journal:
                _drop_labels(self._ptx)
            used = _used_variables(self._ptx)
            functions = self._ptx.functions.items()
            self.kernels = {name: _image(f) for name, f in functions if f.entry and f.body is not None}
        self._slots = {name: layout.FIRST_VARIABLE_SLOT + i for i, name in enumerate(used)}
        if len(self._slots) > layout.HEAP_SLOTS.start - layout.FIRST_VARIABLE_SLOT:
            raise UnsupportedPtx(f"the module uses {len(self._slots)} variables, more than the emulator has slots for")

    def launch(
        self,
        kernel: str,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        arguments: Sequence[bytes],
        memory: Memory,
        shared_bytes: int = 0,
        limits: Limits | None = None,
        workers: int | None = None,
        cooperative: bool = False,
        journal: Journal | None = None,
        only_blocks: range | None = None,
        traces: Traces | None = None,
    ) -> LaunchResult:
        """Runs a kernel over a grid of blocks and waits for it; faults of the kernel are in the result.

        `grid` counts blocks and `block` threads, by x, y and z. `arguments` are the raw bytes of each parameter, little
        endian; those of an array are the address that `memory.place` returned. `shared_bytes` is the dynamic shared
        memory of a block. The blocks run on `workers` cores, by default all that the process may use. In a
        `cooperative` launch all blocks are in flight at the same time, and the grid has a barrier. What the blocks do
        is entered into the `journal`, in a module that was loaded for it. Only `only_blocks` run, if given. A module
        that counts fills the `traces`.

        A launch that CUDA would refuse, for its shape or its shared memory, is a fault of kind "launch_failure". Raises
        UnsupportedPtx for instructions that the emulator does not execute, KeyError for an unknown kernel, ValueError
        for arguments whose sizes differ from those of the parameters, and MemoryError where threads need more local
        memory than there is.
        """
        image = self.kernels[kernel]
        sizes = tuple(len(argument) for argument in arguments)
        if sizes != image.parameter_bytes:
            raise ValueError(f"kernel {kernel} takes parameters of {image.parameter_bytes} bytes, got {sizes}")
        if image.local_bytes > layout.MAX_LOCAL:
            # No GPU has as much for a thread. This machine might give it, since nobody touches most of it.
            raise MemoryError(f"{image.local_bytes} bytes of local memory for each thread")
        geometry = Geometry(grid, block, shared_bytes, cooperative)
        threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
        message = launch_error(geometry, image.bounds, image.shared_bytes)
        if not message:
            compiled = self._compile(kernel, self._sanitize and threads <= SANITIZED_THREADS)
            message = launch_error(geometry, image.bounds, compiled.translation.storage.declared_shared_bytes)
        if message:
            refusal = Fault("launch_failure", message, kernel=kernel)
            return LaunchResult("fault", refusal, faults=(refusal,))
        with self._blaming_ptx():
            self.place_variables(memory)
        areas, size = parameter_areas(self._ptx.functions[kernel].parameters)
        buffer = np.zeros(max(size, 1), np.uint8)
        for area, argument in zip(areas.values(), arguments, strict=True):
            buffer[area.at : area.at + area.size] = np.frombuffer(argument, np.uint8)
        memory.place_at(layout.PARAMETER_SLOT, "kernel parameters", buffer, read_only=True)
        limits = limits or Limits()

        def run(limits: Limits, workers: int | None = 1) -> LaunchResult:
            if cooperative:
                memory.place_at(layout.WORKSPACE_SLOT, "grid barrier", np.zeros(layout.WORKSPACE_BYTES, np.uint8))
            code = compiled.translation, compiled.native, compiled.driver
            return run_launch(*code, geometry, memory, limits, workers, journal, only_blocks, traces)

        if compiled.translation.checks is None or not (image.shared_bytes or shared_bytes):
            return run(limits, workers)
        kept = keep(memory, written_slots(compiled.translation, memory), threads)
        result = run(limits, workers)
        unset = bool(result.faults) and all(fault.unset_shared for fault in result.faults)
        return settle(result, kept, limits, run) if unset and kept is not None else result

    def translation_of(self, kernel: str) -> Translation:
        """Returns the translation of a kernel that launches without race checks use. Raises UnsupportedPtx."""
        return self._compile(kernel, False).translation

    def prepare(self, kernel: str) -> None:
        """Translates and compiles a kernel ahead of its first launch. Raises UnsupportedPtx."""
        self._compile(kernel, self._sanitize)

    def symbol(self, name: str, memory: Memory) -> tuple[int, int] | None:
        """Returns (emulated address, size in bytes) of a global or constant variable; None for an unknown name.

        A variable that no code names is placed now: what is written there is never read.
        """
        variable = self._ptx.variables.get(name)
        if variable is None or variable.space == "shared":
            return None
        with self._blaming_ptx():
            self.place_variables(memory)
        if name not in self._slots:
            slot = layout.FIRST_VARIABLE_SLOT + len(self._slots)
            if slot >= layout.HEAP_SLOTS.start:
                return None
            self._slots[name] = slot
        if memory.at(layout.array_address(self._slots[name])) is None:
            memory.place_at(self._slots[name], name, np.zeros(variable.size, np.uint8), variable.space == "const")
        return layout.array_address(self._slots[name]), variable.size

    def native_of(self, translation: Translation) -> Native:
        """Native code of a kernel. Raises InvalidIrError where LLVM refuses it."""
        # A debug build is long and runs once. Code that is checked or entered into a journal spends its time in
        # routines, which are compiled already: at QUICK_LEVEL it takes half of the time to compile, and launches a
        # tenth more to run.
        watched = translation.checks is not None or translation.noted is not None
        level = QUICK_LEVEL if self._quick or self._variables is not None or watched else CODEGEN_LEVEL
        return Native(translation.ir, ENTRY, self._objects, level, QUICK_LEVEL if self._quick else CODEGEN_LEVEL)

    def _compile(self, kernel: str, sanitize: bool) -> _Compiled:
        if (kernel, sanitize) not in self._compiled:
            with self._blaming_ptx():
                noted = Noted(self._noted_variables) if self._noted_variables is not None else None
                translation = translate(
                    *(self._ptx, kernel, self._slots, has_masked_stores()),
                    *(sanitize, self._count, self._variables, noted),
                )
            try:
                native = self.native_of(translation)
            except InvalidIrError as error:
                raise UnsupportedPtx(f"kernel {kernel} has instructions whose operands do not fit: {error}") from error
            compiled = _Compiled(translation, native, driver(self._objects))
            self._compiled[kernel, sanitize] = compiled
        return self._compiled[kernel, sanitize]

    @contextmanager
    def _blaming_ptx(self) -> Iterator[None]:
        """Turns errors into UnsupportedPtx: inline assembly gets here unchecked, and so does what a script hands over.

        An error of its own would be the judge's failure, by which a submission could tell one size from another.
        """
        try:
            yield
        except PtxSyntaxError as error:
            raise UnsupportedPtx(str(error)) from error
        except (ArithmeticError, AssertionError, LookupError, RecursionError, TypeError, ValueError) as error:
            kind = "inline PTX" if self._has_assembly else "PTX"
            raise UnsupportedPtx(f"{kind} that the emulator can't read ({error})") from error

    def place_variables(self, memory: Memory) -> None:
        """Places the module's variables in a memory that does not have them yet."""
        if id(self) in memory.variables:
            return
        memory.variables[id(self)] = self
        for name, slot in self._slots.items():
            variable = self._ptx.variables[name]
            data = bytearray(variable.initial.ljust(variable.size, b"\0"))
            for offset, symbol, addend in variable.references:
                address = self._symbol_address(symbol) + addend
                data[offset : offset + 8] = address.to_bytes(8, "little")
            memory.place_at(slot, name, np.frombuffer(bytes(data), np.uint8), variable.space == "const")

    def _symbol_address(self, name: str) -> int:
        if name in self._slots:
            return layout.array_address(self._slots[name])
        numbers = function_ids(self._ptx)
        if name not in numbers:
            raise UnsupportedPtx(f"the emulator does not know the symbol {name} of an initialiser")
        return (layout.FUNCTION_SLOT << layout.SLOT_BITS) + numbers[name]


@lru_cache(maxsize=2)
def driver(objects: Objects) -> Native:
    """Returns the native code that runs the warps of any kernel: blocks in turn, barriers, deadlocks, limits."""
    return Native(driver_ir(), DRIVER_ENTRY, objects)


def _drop_labels(module: PtxModule) -> None:
    """Removes the labels that no branch jumps to: a debug build has one at each statement."""
    for function in module.functions.values():
        if function.body is not None:
            jumps = [i for i in function.body if isinstance(i, Instruction) and i.traits.flow is Flow.BRANCH]
            targets = {operand.name for i in jumps for operand in i.operands if isinstance(operand, Symbol)}
            targets |= {name for names in function.branch_targets.values() for name in names}
            function.body = [i for i in function.body if isinstance(i, Instruction) or i.name in targets]


def _image(function: Function) -> KernelImage:
    variables = function.variables.values()
    return KernelImage(
        tuple(parameter.size for parameter in function.parameters),
        sum(v.size for v in variables if v.space == "shared"),
        sum(v.size for v in variables if v.space == "local"),
        function.bounds,
    )


def _operand_symbols(operand: Operand) -> list[str]:
    if isinstance(operand, Symbol):
        return [operand.name]
    if isinstance(operand, Address):
        return [operand.base.name] if isinstance(operand.base, Symbol) else []
    if isinstance(operand, Group):
        return [name for item in operand.items for name in _operand_symbols(item)]
    return []


def _used_variables(module: PtxModule) -> list[str]:
    """Returns the global and constant variables that code names, and those that their initialisers point to."""
    named = {
        name
        for function in module.functions.values()
        for item in function.body or ()
        if isinstance(item, Instruction)
        for operand in item.operands
        for name in _operand_symbols(operand)
    }
    wanted = [v for v in module.variables.values() if v.name in named and v.space != "shared"]
    used: dict[str, Variable] = {}
    while wanted:
        variable = wanted.pop()
        if variable.name not in used:
            used[variable.name] = variable
            wanted += [module.variables[s] for _, s, _ in variable.references if s in module.variables]
    return sorted(used)
