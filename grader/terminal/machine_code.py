"""A kernel's machine code for a terminal, by source line: address, control code, registers in use, instruction."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from grader.sass import Instruction, LineCode, MachineCode
from grader.terminal.console import safe

LEGEND = (
    "Columns: address; control code; registers in use; instruction. In a control code, B names the barriers that the "
    "instruction waits for, R the one it sets when its operands were read, W when its result is there, Y lets another "
    "warp go first, S is the cycles until the warp's next instruction."
)


def machine_code(
    machine: MachineCode | None, target: str, source: Sequence[str], width: int
) -> Iterator[list[RenderableType]]:
    """Sections of lines: what the code takes in all, what the columns mean, then a section for each source line."""
    if machine is None:
        yield [Text("  The compiler made no machine code of it.")]
        return
    local = f", {machine.spills:,} accesses to local memory" if machine.spills else ""
    head = (
        f"Machine code for {target}: {len(machine.code):,} instructions, {machine.facts.registers} registers, "
        f"at most {machine.live} of them in use at once{local}"
    )
    yield [
        Text(textwrap.fill(head, width, initial_indent="  ", subsequent_indent="  "), style="bold"),
        Text(textwrap.fill(LEGEND, width, initial_indent="  ", subsequent_indent="  "), style="dim"),
    ]
    for line in machine.by_line():
        yield [_head(line, source, width), *(_instruction(one, width) for one in line.code)]


def _head(line: LineCode, source: Sequence[str], width: int) -> Text:
    text = source[line.line - 1].strip() if 1 <= line.line <= len(source) else ""
    number = f"line {line.line}" if line.line else "no line"
    registers = f"{line.live} register{'s' if line.live != 1 else ''}"
    room = max(width - len(number) - len(registers) - 6, 0)
    return Text(f"{number}  {safe(text)[:room].ljust(room)}  {registers}", style="bold", no_wrap=True)


def _instruction(one: Instruction, width: int) -> Text:
    row = f"  {one.address:04x}  {one.control.text}  {one.live:3}  "
    inner = f"  {safe(one.inner)}" if one.inner else ""
    text = textwrap.fill(
        safe(one.text), width, initial_indent=row, subsequent_indent=" " * (len(row) + 2), break_long_words=True
    )
    last = len(text) - text.rfind("\n") - 1
    found = Text(text, style="dim" if one.name == "NOP" else "")
    if last + len(inner) <= width:
        found.append(inner, style="dim")
    return found
