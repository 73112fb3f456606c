"""Disassembles a cubin in the sandbox, once: what was disassembled before is kept by content.

The judge checks what the process answers: each kernel's addresses follow one another and lie within its code.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grader import __version__
from grader.compile.cubin import KernelFacts, read_cubin
from grader.compile.elf import ElfError, by_name, read_sections
from grader.core.errors import JudgeError
from grader.core.files import Room, keep, read_kept
from grader.sandbox import Sandbox
from grader.sass.asking import SECONDS, ask
from grader.sass.blocks import blocks_of
from grader.sass.code import BYTES, Instruction, MachineCode, decode_control
from grader.sass.tool import find_nvdisasm

CUBIN_LIMIT = 16 << 20

_ROOM = Room(files=300, size=256 << 20)
_REGISTER = re.compile(r"(?:R|P|UR|UP)\d{1,3}")
_FILE = re.compile(r'^[ \t]*\.file[ \t]+1[ \t]+"([^"\n]*)"', re.MULTILINE)
"""The submission has number 1 in the emulator's PTX."""
_OPCODE = re.compile(r"[A-Z][\w.]{0,99}", re.ASCII)
_PREDICATE = re.compile(r"(?:@!?U?P\w{1,2})?", re.ASCII)
_NO_ANSWER = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


def disassemble(cubin: bytes, file: str, cache: Path, sandbox: Sandbox | None = None) -> Mapping[str, MachineCode]:
    """The machine code of a cubin's kernels, by symbol. `file` is the name that the submission was compiled under,
    `cache` the folder of all caches.

    Raises ToolMissing without nvdisasm, and JudgeError for machine code that it can't read.
    """
    if len(cubin) > CUBIN_LIMIT:
        raise JudgeError(f"machine code of more than {CUBIN_LIMIT >> 20} MiB is not disassembled")
    try:
        facts, sections = read_cubin(cubin), by_name(read_sections(cubin))
    except ElfError as error:
        raise JudgeError(f"the machine code can't be read: {error}") from None
    texts = {symbol: sections[f".text.{symbol}"].data for symbol in facts}
    kept = _kept_file(cubin, file, cache)
    with suppress(OSError, RecursionError, *_NO_ANSWER):
        return _kernels(json.loads(read_kept(kept)), facts, texts)
    program, data = find_nvdisasm(), base64.b64encode(cubin).decode()
    request = {"do": "disassemble", "program": str(program), "cubin": data, "file": file}
    answer = ask(request, program, 2 * SECONDS, sandbox or Sandbox.find())
    try:
        found = _kernels(answer, facts, texts)
    except _NO_ANSWER as error:
        raise JudgeError(f"nvdisasm's process answered what is no machine code: {error}") from None
    keep(kept, json.dumps(answer, separators=(",", ":")).encode(), _ROOM)
    return found


def file_of(image: str) -> str:
    """The name that the submission has in the line information of a program's PTX."""
    match = _FILE.search(image)
    return match[1].rpartition("/")[2] if match else ""


def _kept_file(cubin: bytes, file: str, cache: Path) -> Path:
    program = find_nvdisasm()
    status = program.stat()
    parts = [__version__, str(program), status.st_size, status.st_mtime_ns, file, hashlib.sha256(cubin).hexdigest()]
    return cache / "sass" / f"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}.json"


def _kernels(
    answer: Mapping[str, Any], facts: Mapping[str, KernelFacts], texts: Mapping[str, bytes]
) -> dict[str, MachineCode]:
    found = {}
    for symbol, own in facts.items():
        code = _trimmed([_instruction(row, texts[symbol]) for row in answer["kernels"][symbol]])
        if [one.address for one in code] != [BYTES * i for i in range(len(code))]:
            raise ValueError("instructions are missing")
        found[symbol] = MachineCode(symbol, own, code, blocks_of(code))
    return found


def _instruction(row: Sequence[Any], text: bytes) -> Instruction:
    address, predicate, opcode, operands, line, inner, targets, reads, writes, live, live_uniform = row
    encoding = text[address : address + BYTES]
    if len(encoding) != BYTES or not _OPCODE.fullmatch(opcode) or not _PREDICATE.fullmatch(predicate):
        raise ValueError(f"an instruction at {address}")
    return Instruction(
        address=int(address),
        opcode=str(opcode),
        operands=tuple(_split(str(operands))),
        predicate=str(predicate),
        control=decode_control(int.from_bytes(encoding, "little")),
        reads=_registers(reads),
        writes=_registers(writes),
        live=int(live),
        live_uniform=int(live_uniform),
        line=int(line),
        inner=str(inner),
        targets=tuple(int(target) for target in targets),
    )


def _split(operands: str) -> list[str]:
    """Operands at their commas, except for those in braces or brackets."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(operands):
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and not depth:
            found.append(operands[start:place].strip())
            start = place + 1
    last = operands[start:].strip()
    return [*found, last] if last else found


def _registers(text: str) -> tuple[str, ...]:
    names = tuple(text.split())
    if not all(_REGISTER.fullmatch(name) for name in names):
        raise ValueError("names that are no registers")
    return names


def _trimmed(code: list[Instruction]) -> tuple[Instruction, ...]:
    """Without what fills the section after the code: NOPs, and a jump to itself."""
    end = len(code)
    while end and code[end - 1].name == "NOP":
        end -= 1
    if end and code[end - 1].name == "BRA" and code[end - 1].targets == (code[end - 1].address,):
        end -= 1
    return tuple(code[:end])
