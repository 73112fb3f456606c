"""The confined process that disassembles one cubin, or assembles PTX: it runs nvdisasm and reads its texts, or ptxas.

Its answers are plain data.
"""

from __future__ import annotations

import base64
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.core.errors import JudgeError
from grader.sandbox.serving import Message, by_name, serve
from grader.sass.text import Registers, Section, TextError, read_code, read_registers

TEXT_LIMIT = 256 << 20
"""Bytes of one text: live ranges take up to 700 for an instruction."""

_LINES = ("-c", "-gi")
_LIVE = ("-c", "-plr", "-lrm", "narrow")


def disassemble(program: str, cubin: str, file: str, seconds: float) -> Message:
    """The instructions of each kernel of a cubin (base64), by symbol, as `grader.sass.disassemble` reads them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cubin").write_bytes(base64.b64decode(cubin))
        texts = [_run(folder, [program, *options, "cubin"], seconds) for options in (_LINES, _LIVE)]
        try:
            with texts[0].open(errors="replace") as coded:
                sections = read_code(coded, file)
            with texts[1].open(errors="replace") as lived:
                registers = read_registers(lived)
        except TextError as error:
            raise JudgeError(f"nvdisasm's text can't be read: {error}") from None
    return {"kernels": {symbol: _rows(section, registers.get(symbol, {})) for symbol, section in sections.items()}}


def assemble(program: str, ptx: str, target: str, seconds: float) -> Message:
    """The cubin (base64) that ptxas makes of PTX."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "code.ptx").write_text(ptx, encoding="utf-8")
        _run(folder, [program, "-arch", target, "-lineinfo", "-o", "cubin", "code.ptx"], seconds)
        return {"cubin": base64.b64encode((folder / "cubin").read_bytes()).decode()}


def _run(folder: Path, command: Sequence[str], seconds: float) -> Path:
    """Runs a program in the folder; returns the file with its text. Raises JudgeError."""
    name = Path(command[0]).name
    path = folder / f"text{len(list(folder.iterdir()))}"
    with path.open("wb") as output:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                cwd=folder,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise JudgeError(f"{name} took longer than {seconds:g} seconds and was stopped") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise JudgeError(f"{name} can't read this code", said[0][:300] if said else "")
    if path.stat().st_size > TEXT_LIMIT:
        raise JudgeError(f"{name} wrote more than {TEXT_LIMIT >> 20} MiB")
    return path


def _rows(section: Section, registers: Mapping[int, Registers]) -> list[list[Any]]:
    nothing = Registers((), (), {})
    rows = []
    for row in section.rows:
        used = registers.get(row.address, nothing)
        targets = sorted({section.labels[label] for label in row.jumps if label in section.labels})
        operands = row.operands
        for label in row.jumps:
            if label in section.labels:
                operands = operands.replace(f"`({label})", f"{section.labels[label]:#x}")
        rows.append(
            [
                *(row.address, row.predicate, row.opcode, operands, row.line, row.inner, targets),
                *(" ".join(used.reads), " ".join(used.writes), used.live.get("R", 0), used.live.get("UR", 0)),
            ]
        )
    return rows


def main() -> None:
    serve(by_name(disassemble, assemble))


if __name__ == "__main__":
    main()
