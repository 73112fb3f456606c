"""Facts about a submission's text: functions, variables, macros and includes as plain data.

They describe the text; types are left to the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.core.verdict import Form

ANONYMOUS = "(anonymous)"
"""The name used for an unnamed namespace."""


@dataclass(frozen=True)
class Macro:
    """A `#define NAME VALUE`; `value` is its text without comments. `parameters` says whether it takes arguments."""

    name: str
    value: str
    line: int
    parameters: bool = False


@dataclass(frozen=True)
class Include:
    """An `#include`; `path` is as written, with quotes or angle brackets."""

    path: str
    line: int


@dataclass(frozen=True)
class Function:
    """A function at file or namespace scope. `space` is "kernel", "device" or "host".

    `span` is its byte range in the UTF-8 text, including its own `extern "C"`. `launches` says whether its body
    contains a `<<<`.
    """

    name: str
    namespace: str
    space: str
    parameters: tuple[str, ...]
    line: int
    span: tuple[int, int]
    template: bool = False
    constexpr: bool = False
    defined: bool = True
    c_linkage: bool = False
    launches: bool = False

    @property
    def qualified_name(self) -> str:
        return f"{self.namespace}::{self.name}" if self.namespace else self.name

    @property
    def signature(self) -> str:
        return f"{self.qualified_name}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Variable:
    """A host variable at file or namespace scope."""

    name: str
    line: int
    span: tuple[int, int]


@dataclass(frozen=True)
class Facts:
    """All facts from parsing one file, without the parts that the preprocessor certainly drops.

    `macros` are those defined at the end of the file, with their last definitions. `form` is that of the preprocessed
    file (see form_of).
    """

    functions: tuple[Function, ...] = ()
    host_variables: tuple[Variable, ...] = ()
    macros: tuple[Macro, ...] = ()
    includes: tuple[Include, ...] = ()
    form: Form = Form.KERNEL

    @property
    def kernels(self) -> tuple[Function, ...]:
        return tuple(f for f in self.functions if f.space == "kernel")

    def macro(self, name: str) -> Macro | None:
        return next((m for m in self.macros if m.name == name), None)


def form_of(functions: Iterable[Function]) -> Form:
    """The form of a submission: the solve form defines a host function `solve` with C linkage at file scope.

    A `solve` that launches kernels counts too if its C linkage was forgotten, which the compiler then reports.
    """
    solves = [f for f in functions if f.name == "solve" and not f.namespace and not f.template]
    # A declaration with C linkage gives it to a later definition without.
    linked = any(f.defined for f in solves) and any(f.c_linkage for f in solves)
    return Form.SOLVE if linked or any(f.launches and f.space == "host" for f in solves) else Form.KERNEL
