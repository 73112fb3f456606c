"""cuTile's compiler: where it is, and from its bytecode to PTX with line numbers and to machine code."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.machine.own_packages import TILE_ASSEMBLER, TILEIRAS, OwnPackages

_READ = """\
#!/bin/sh
for word in "$@"; do
    case "$word" in
    *.ptx) input="$word" ;;
    esac
    if [ "$last" = -o ]; then output="$word"; fi
    last="$word"
done
"""
_STAND_IN = f'{_READ}exec cp "$input" "$output"\n'
"""Gives the PTX itself instead of machine code: tileiras hands on what it gets."""
_KEEPING = (
    _READ
    + """\
cp "$input" '{kept}' || exit 1
exec '{assembler}' "$@"
"""
)
"""Gives machine code, and keeps the PTX."""
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{")
_PARAMETER = re.compile(
    r"(?<!\.hidden\t)(?<!\.hidden )\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\b[^\[,]*(?:\[(\d+)\])?"
)
_REQUIRED = re.compile(r"\.reqntid\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")
_CLUSTER = re.compile(r"\.reqnctapercluster\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")
_SHARED = re.compile(r"^\s*\.shared\s+(\.align\s+\d+\s+\.b8\s+[\w$]+)\[(\d+)\];\n", re.MULTILINE)
_DECLARED_SHARED = 49152
"""What PTX may declare; tileiras declares more and asks ptxas to let it."""
_SECOND_LINES = re.compile(r"^\s*\.loc_intermediate\b.*\n", re.MULTILINE)
_SECOND_SOURCE = ".nv_intermediate_source_section"


@dataclass(frozen=True)
class Compiled:
    """A kernel: its function's name, its symbol, the bytes of each parameter, the threads of its blocks, the blocks of
    its clusters, (0, 0, 0) without any, and the bytes of dynamic shared memory that its PTX needs. `cubin` is empty if
    none was asked for."""

    name: str
    symbol: str
    parameter_bytes: tuple[int, ...]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared_bytes: int
    ptx: str
    cubin: bytes = b""


def find_compiler() -> Path:
    """The path of tileiras. Raises ToolMissing."""
    return _find(TILEIRAS)


def find_assembler() -> Path:
    """The path of the ptxas that understands what tileiras writes. Raises ToolMissing."""
    return _find(TILE_ASSEMBLER)


def _find(own: OwnPackages) -> Path:
    if not own.file.is_file():
        raise own.missing()
    return own.file


class Tileiras:
    """The compiler with a ptxas of ours in its PATH: it is a program of its own, and so is ptxas.

    `scratch` is where all files go. PTX has line numbers only on its way to ptxas: the copy in machine code has none.
    """

    def __init__(self, scratch: Path) -> None:
        self._program = find_compiler()
        self._scratch = scratch
        self._kept = scratch / "kept.ptx"
        self._folder = scratch / "ptx"
        self._keeping_folder = scratch / "machine_code"

    def binary(self, machine_code: bool = False) -> Any:
        """What cuTile starts. Raises ToolMissing for machine code without a ptxas."""
        from cuda.tile import _compile

        folder = self._keeping_folder if machine_code else self._folder
        program = folder / "ptxas"
        if not program.exists():
            text = _KEEPING.format(kept=self._kept, assembler=find_assembler()) if machine_code else _STAND_IN
            folder.mkdir(exist_ok=True)
            # The sandbox refuses changes of a mode.
            with open(program, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
                file.write(text)
        path = f"{folder}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        return _compile._CompilerBinary(str(self._program), path, "", pass_cuda_home_var=False)

    def compile(self, bytecode: bytes, target: str, options: Any, machine_code: bool) -> tuple[str, bytes]:
        """The PTX of a kernel, and its machine code if that is asked for. Raises cuTile's own errors."""
        from cuda.tile import _compile

        source, made = self._scratch / "kernel.bytecode", self._scratch / "kernel.out"
        source.write_bytes(bytecode)
        level = f"-O{options.opt_level_for_target(target)}"
        timeout = _compile.default_tile_context.config.compiler_timeout_sec
        arguments = [str(source), "-o", str(made)]
        self.binary(machine_code).run(arguments, ["--gpu-name", target, level, "--lineinfo"], timeout)
        if not machine_code:
            return made.read_text(encoding="utf-8", errors="replace"), b""
        return self._kept.read_text(encoding="utf-8", errors="replace"), made.read_bytes()


def read_compiled(name: str, text: str, cubin: bytes = b"") -> Compiled:
    """What the launch needs to know of the only kernel of a text in PTX, without the second, intermediate source that
    tileiras puts in."""
    ptx = _SECOND_LINES.sub("", text.partition(_SECOND_SOURCE)[0])
    entry = _ENTRY.search(ptx)
    if entry is None:
        raise ValueError(f"tileiras wrote no kernel for {name}: {ptx[:200]!r}")
    symbol, parameters, directives = entry.groups()
    sizes = tuple(int(bits) // 8 * int(count or 1) for bits, count in _PARAMETER.findall(parameters))
    block, cluster = _three(_REQUIRED, directives) or (1, 1, 1), _three(_CLUSTER, directives) or (0, 0, 0)
    return Compiled(name, symbol, sizes, block, cluster, *_with_dynamic_memory(ptx), cubin)


def _with_dynamic_memory(ptx: str) -> tuple[int, str]:
    """The bytes of dynamic shared memory, and the text, in which an array too large to be declared has become that."""
    arrays = _SHARED.findall(ptx)
    if sum(int(size) for _, size in arrays) <= _DECLARED_SHARED:
        return 0, ptx
    large = max(arrays, key=lambda array: int(array[1]))
    without = _SHARED.sub(lambda one: "" if one.groups() == large else one.group(), ptx)
    declared = f".extern .shared {large[0]}[];\n\n"
    return int(large[1]), without.replace(".visible .entry", f"{declared}.visible .entry", 1)


def _three(pattern: re.Pattern[str], text: str) -> tuple[int, int, int] | None:
    found = pattern.search(text)
    if found is None:
        return None
    x, y, z = (int(number or 1) for number in found.groups())
    return x, y, z
