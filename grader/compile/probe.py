"""Lines compiled behind a submission's text, by which the compiler itself answers questions about it.

They ask whether the kernel takes the problem's parameters and what the launch constants are. Each probe calls
itself by a file name of its own, so that an error in it says which question has the answer no.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from grader.compile.ptx import CONSTANT_PREFIX

UNSET = -(2**63)
"""The value of a launch constant that the submission does not define."""

_PREFIX = "kgrade probe"
# The compiler's own name for the text that looks up a kernel's symbol.
_NAME_LOOKUP = "__nv_name_map"
_WORD = re.compile(r"[A-Za-z_]\w*")


class Lookup(Enum):
    """Where a launch constant is looked for, besides a `#define` of its name."""

    DEFAULT = "at file scope, UNSET without one"
    PLAIN = "at file scope, where it has to be"
    NONE = "nowhere"


@dataclass(frozen=True)
class Answer:
    """Which probe an error is in. `question` is "kernel", "macro" or "variable"; `name` is the constant's."""

    question: str
    name: str = ""


def read_answer(file: str) -> Answer | None:
    """The probe that has this file name, if it is one."""
    if file == _NAME_LOOKUP:
        return Answer("kernel")
    return Answer(*file.split()[2:4]) if file.startswith(_PREFIX) else None


def append_probes(
    source: str, kernel: str, c_types: Sequence[str], constants: Mapping[str, Lookup], default: int = UNSET
) -> str:
    # Two line ends: a backslash at the end of the submission takes the first.
    pieces = [source + "\n", *_signature(kernel, c_types)]
    for name, lookup in constants.items():
        pieces += _constant(name, lookup, default)
    return "\n".join([*pieces, ""])


def _signature(kernel: str, c_types: Sequence[str]) -> list[str]:
    """Compiles if `kernel` is one function with these parameter types.

    Aliases, names, `__restrict__` and the `const` of what a pointer points to make no difference.
    """
    # A macro of the submission that has a type's name would change the question.
    words = dict.fromkeys(word for c_type in c_types for word in _WORD.findall(c_type))
    expected = ", ".join(f"typename kgrade_bare<{c_type}>::type" for c_type in c_types)
    return [
        f'#line 1 "{_PREFIX} kernel"',
        *(f"#undef {word}" for word in words),
        "template <class... T> struct kgrade_types {};",
        "template <class T> struct kgrade_bare { typedef T type; };",
        "template <class T> struct kgrade_bare<const T*> { typedef T* type; };",
        "template <class A, class B> struct kgrade_same { enum { value = 0 }; };",
        "template <class A> struct kgrade_same<A, A> { enum { value = 1 }; };",
        "template <class... P>",
        "__device__ kgrade_types<typename kgrade_bare<P>::type...> kgrade_parameters(void (*)(P...));",
        f"static_assert(kgrade_same<decltype(kgrade_parameters(&::{kernel})),",
        f'kgrade_types<{expected}>>::value, "parameters differ");',
    ]


def _constant(name: str, lookup: Lookup, default: int) -> list[str]:
    """Stores the constant's value in a variable that `take_constants` reads from the PTX."""

    def store(value: str) -> list[str]:
        variable = f'extern "C" __device__ constexpr long long {CONSTANT_PREFIX}{name}'
        # The assertion refuses 2.5, of which the conversion would make 2.
        return [f"{variable} = (long long)({value});", f"static_assert(({value}) == (long long)({value}));"]

    lines = [f"#ifdef {name}", f'#line 1 "{_PREFIX} macro {name}"', *store(name)]
    if lookup is not Lookup.NONE:
        lines += ["#else", f'#line 1 "{_PREFIX} variable {name}"']
        if lookup is Lookup.DEFAULT:
            # `::NAME` is what the submission declares, and only without that what a using-directive brings.
            value = f"{default + 1}LL - 1"
            lines += [f"namespace kgrade_unset {{ enum : long long {{ {name} = {value} }}; }}"]
            lines += ["using namespace kgrade_unset;"]
        lines += store(f"::{name}")
    return [*lines, "#endif"]
