"""Removes host code from a kernel submission, because a `main()` for trying the kernel at home is no mistake.

Line numbers stay the same, and only code that kernels could not use in nvcc either is removed.
"""

from __future__ import annotations

from grader.compile.facts import Facts, Function, Variable
from grader.core.report import Diagnostic

_BLANK = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


def without_host_code(source: str, facts: Facts) -> tuple[str, tuple[Diagnostic, ...]]:
    """Returns the text with host functions and variables blanked out, and a note that says so if there are any.

    Templates and constexpr functions stay, since device code may use them.
    """
    functions = [f for f in facts.functions if f.space == "host" and not f.template and not f.constexpr]
    items: list[Function | Variable] = [*functions, *facts.host_variables]
    data, done = bytearray(source.encode(errors="replace")), 0
    for item in sorted(items, key=lambda item: item.span):
        start, end = max(item.span[0], done), item.span[1]
        data[start:end] = data[start:end].translate(_BLANK)
        done = max(done, end)
    if not items:
        return source, ()
    names = [f"{item.name}()" if isinstance(item, Function) else item.name for item in items]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    message = f"host code is left out: {', '.join(names[:4])}{more}; kgrade launches the kernel itself"
    return data.decode(), (Diagnostic("note", message, items[0].line),)
