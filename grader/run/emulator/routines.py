"""Compiles the routines of native code apart from the kernels that call them, once per process.

It only splits text; the caller compiles and links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ROUTINE = re.compile(r"^define internal (.+?) @([\w.]+)\((.*)\) [^()]*\{$", re.MULTILINE)
_CALLED = re.compile(r"@([\w.]+)")
_END = "\n}\n"


@dataclass(frozen=True)
class _Routine:
    """A routine's text, its declaration for callers, and the module's other routines that it calls."""

    text: str
    declaration: str
    calls: tuple[str, ...]


Link = Callable[[str, str, Mapping[str, int]], Any]
"""Takes LLVM IR, the name of its function, and the addresses of the functions it calls. Returns an object that keeps
the code and gives the function's address by name.
"""


class Routines:
    """The linked routines, by their text and the addresses of what they call."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, tuple[int, ...]], tuple[int, Any]] = {}

    def split(self, ir: str, link: Link) -> tuple[str, dict[str, int]]:
        """Returns the module without its routines, and the addresses of these by name; `link` makes new ones."""
        head, routines, rest = _cut(ir)
        addresses: dict[str, int] = {}

        def address_of(name: str) -> int:
            if name not in addresses:
                routine = routines[name]
                called = {other: address_of(other) for other in routine.calls}
                key = routine.text, tuple(called.values())
                if key not in self._known:
                    text = _module(head, [routines[other] for other in called], routine.text, rest)
                    linked = link(text.replace("define internal", "define", 1), name, called)
                    self._known[key] = int(linked[name]), linked
                addresses[name] = self._known[key][0]
            return addresses[name]

        for name in routines:
            address_of(name)
        kernel, _, metadata = rest.rpartition("\n")
        return _module(head, list(routines.values()), kernel, metadata), addresses


def _module(head: Mapping[str, str], called: Sequence[_Routine], body: str, rest: str) -> str:
    """Returns LLVM IR of one function, which depends only on its own contents; the last line of `rest` is metadata."""
    intrinsics = [head[name] for name in sorted(set(_CALLED.findall(body)) & head.keys())]
    return "\n".join([*intrinsics, *(routine.declaration for routine in called), body, rest.rpartition("\n")[2]])


def _cut(ir: str) -> tuple[dict[str, str], dict[str, _Routine], str]:
    """Returns (declarations of intrinsics by name, routines by name, the rest: the kernel and metadata)."""
    begin = ir.index("define ")
    head = {name: line for line in ir[:begin].splitlines() for name in _CALLED.findall(line)[:1]}
    matches = list(_ROUTINE.finditer(ir, begin))
    names = {match[2] for match in matches}
    routines: dict[str, _Routine] = {}
    left, at = [], begin
    for match in matches:
        end = ir.index(_END, match.end()) + len(_END)
        text = ir[match.start() : end - 1]
        types = ", ".join(argument.rpartition(" ")[0] for argument in re.split(r", (?=[^<>{}]*?%)", match[3]))
        called = sorted({name for name in _CALLED.findall(text) if name in names} - {match[2]})
        routines[match[2]] = _Routine(text, f"declare {match[1]} @{match[2]}({types})", tuple(called))
        left.append(ir[at : match.start()])
        at = end
    return head, routines, "".join([*left, ir[at:]]).strip("\n")
