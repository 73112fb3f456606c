"""What a kernel's machine code is made of: instructions, control codes, basic blocks, live registers.

NVIDIA does not document the control codes. Their layout in the 128 bits of an instruction, the same since Volta, is
that of Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018), section 2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.compile.cubin import KernelFacts

BYTES = 16
"""The length of each instruction's encoding, since Volta."""

NO_BARRIER = 7
"""What stands in a control code in place of a barrier's number where the instruction sets none."""

BARRIERS = 6
_CONTROL_AT = 105
_SPILLS = ("LDL", "STL")


@dataclass(frozen=True)
class Control:
    """What the assembler tells the scheduler with an instruction.

    `stall` is the number of cycles until the warp's next instruction may issue. `yields` prefers another warp next.
    An instruction of unknown duration sets barrier `writes` when its result is there and `reads` when its operands
    were read, both 0 to 5 or NO_BARRIER. This instruction waits for the barriers in the mask `waits`. Bit i of `reuse`
    keeps the register of source slot i for the next instruction, which then reads it without a register bank.
    """

    stall: int
    yields: bool
    writes: int
    reads: int
    waits: int
    reuse: int

    @property
    def waited(self) -> tuple[int, ...]:
        """The numbers of the barriers that it waits for."""
        return tuple(i for i in range(BARRIERS) if self.waits >> i & 1)

    @property
    def text(self) -> str:
        """The control code as assemblers write it: barriers waited for, read barrier, write barrier, yield, stall."""
        waits = "".join(str(i) if self.waits >> i & 1 else "-" for i in range(BARRIERS))
        reads, writes = ("-" if one == NO_BARRIER else str(one) for one in (self.reads, self.writes))
        return f"B{waits}:R{reads}:W{writes}:{'Y' if self.yields else '-'}:S{self.stall:02}"


def decode_control(encoding: int) -> Control:
    """The control code of an instruction's 128 bits."""
    code = encoding >> _CONTROL_AT
    return Control(
        stall=code & 15,
        # The bit is set where the scheduler should stay with the warp.
        yields=not code >> 4 & 1,
        writes=code >> 5 & 7,
        reads=code >> 8 & 7,
        waits=code >> 11 & 63,
        reuse=code >> 17 & 15,
    )


@dataclass(frozen=True)
class Instruction:
    """One instruction. `opcode` has its modifiers, as in "LDG.E.128"; `predicate` is "@P0", "@!UP1" or empty.

    `line` is the submission's line, 0 if unknown; `inner` names the header's line inlined there, as in "mma.hpp:91".
    `reads` and `writes` are registers such as "R4", "P0", "UR6", each of a pair or vector for itself. `live`,
    `live_uniform` count the registers in use at it, those that it reads or writes included. `targets` are the addresses
    that it names: where it may jump, what it calls, or where lanes meet again (BSSY).
    """

    address: int
    opcode: str
    operands: tuple[str, ...]
    predicate: str
    control: Control
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    live: int
    live_uniform: int
    line: int
    inner: str = ""
    targets: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The opcode without modifiers."""
        return self.opcode.partition(".")[0]

    @property
    def modifiers(self) -> tuple[str, ...]:
        return tuple(self.opcode.split(".")[1:])

    @property
    def text(self) -> str:
        """The instruction as nvdisasm writes it, with addresses in place of labels."""
        head = f"{self.predicate} {self.opcode}".lstrip()
        return f"{head} {', '.join(self.operands)}".rstrip()


@dataclass(frozen=True)
class Block:
    """A basic block: `code` runs from its first instruction to its last. `after` are the indices of blocks that may
    follow; a call is followed by what it returns to.
    """

    start: int
    code: tuple[Instruction, ...]
    after: tuple[int, ...]


@dataclass(frozen=True)
class LineCode:
    """The machine code of one source line, by address. `live` is the largest number of registers in use at it."""

    line: int
    code: tuple[Instruction, ...]
    live: int


@dataclass(frozen=True)
class MachineCode:
    """One kernel's machine code, its device functions included, which ptxas copies for each kernel.

    `facts` are its registers, static shared memory and local memory.
    """

    symbol: str
    facts: KernelFacts
    code: tuple[Instruction, ...]
    blocks: tuple[Block, ...]

    @property
    def spills(self) -> int:
        """Instructions that access local memory: spilled registers, and arrays that have no registers."""
        return sum(one.name in _SPILLS for one in self.code)

    @property
    def live(self) -> int:
        """The largest number of registers in use at an instruction."""
        return max((one.live for one in self.code), default=0)

    def by_line(self) -> tuple[LineCode, ...]:
        """The machine code by source line, in the order of lines."""
        found: dict[int, list[Instruction]] = {}
        for one in self.code:
            found.setdefault(one.line, []).append(one)
        rows = ((line, tuple(code)) for line, code in sorted(found.items()))
        return tuple(LineCode(line, code, max(one.live for one in code)) for line, code in rows)

    def opcodes(self) -> Mapping[str, int]:
        """How often each opcode without modifiers stands in the code, the most frequent first."""
        counts: dict[str, int] = {}
        for one in self.code:
            counts[one.name] = counts.get(one.name, 0) + 1
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
