"""Machine code: a kernel's instructions with their source lines, control codes, registers and basic blocks."""

from grader.sass.code import NO_BARRIER, Block, Control, Instruction, LineCode, MachineCode
from grader.sass.disassemble import disassemble, file_of
from grader.sass.tool import has_nvdisasm

__all__ = [
    "NO_BARRIER",
    "Block",
    "Control",
    "Instruction",
    "LineCode",
    "MachineCode",
    "disassemble",
    "file_of",
    "has_nvdisasm",
]
