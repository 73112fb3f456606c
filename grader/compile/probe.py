"""Lines appended to a submission's text with which the compiler answers questions about it.

They ask whether the kernel takes the problem's parameters and what the launch constants are. Each probe has its own
file name, so that an error in it tells which question has the answer no.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from grader.compile.ptx import constant_prefix

UNSET = -(2**63)
"""The value of a launch constant that the submission does not define."""

_PREFIX = "kgrade probe"
# The compiler's own file name for the lookup of a kernel's symbol.
_NAME_LOOKUP = "__nv_name_map"
_WORD = re.compile(r"\b[A-Za-z]\w*")
_STRING = re.compile(r'"[^"]*"')
_QUESTIONS = ("kernel", "macro", "variable")


class Lookup(Enum):
    """Where to look for a launch constant, besides a `#define` of its name."""

    DEFAULT = "at file scope, UNSET without one"
    PLAIN = "at file scope, where it has to be"
    NONE = "nowhere"


@dataclass(frozen=True)
class Answer:
    """The probe with an error. `question` is "kernel", "macro" or "variable"; `name` is the constant's name."""

    question: str
    name: str = ""


def read_answer(file: str) -> Answer | None:
    """The probe with this file name; None if it is not a probe's."""
    if file == _NAME_LOOKUP:
        return Answer("kernel")
    words = file.removeprefix(_PREFIX).split() if file.startswith(_PREFIX) else []
    # A `#line` in the submission may name any file.
    return Answer(*words) if 1 <= len(words) <= 2 and words[0] in _QUESTIONS else None


def undefine(text: str, kept: Collection[str] = ()) -> list[str]:
    """A `#undef` for each word of `text`, except kept words and names reserved for the compiler.

    A macro of the submission with such a name would change the appended lines.
    """
    lines = (line for line in _STRING.sub("", text).split("\n") if not line.startswith("#"))
    words = dict.fromkeys(word for line in lines for word in _WORD.findall(line))
    return [f"#undef {word}" for word in words if word not in kept]


def append_probes(
    source: str, kernel: str, c_types: Sequence[str], constants: Mapping[str, Lookup], default: int = UNSET
) -> str:
    # Two newlines, because a backslash at the end of the submission joins the first.
    asked = _signature(kernel, c_types)
    for name, lookup in constants.items():
        asked += _constant(constant_prefix(source), name, lookup, default)
    undefined = undefine("\n".join(asked), {*kernel.split("::"), *constants})
    return "\n".join([source + "\n", f'#line 1 "{_PREFIX} kernel"', *undefined, *asked, ""])


def _signature(kernel: str, c_types: Sequence[str]) -> list[str]:
    """Lines that compile if `kernel` is a single function with these parameter types.

    Aliases, names, `__restrict__` and `const` on a pointer's target make no difference.
    """
    expected = ", ".join(f"typename kgrade_bare<{c_type}>::kgrade_type" for c_type in c_types)
    return [
        f'#line 1 "{_PREFIX} kernel"',
        "template <class... kgrade_T> struct kgrade_types {};",
        "template <class kgrade_T> struct kgrade_bare { typedef kgrade_T kgrade_type; };",
        "template <class kgrade_T> struct kgrade_bare<const kgrade_T*> { typedef kgrade_T* kgrade_type; };",
        "template <class kgrade_A, class kgrade_B> struct kgrade_same { enum { kgrade_value = 0 }; };",
        "template <class kgrade_A> struct kgrade_same<kgrade_A, kgrade_A> { enum { kgrade_value = 1 }; };",
        "template <class... kgrade_P>",
        "__device__ kgrade_types<typename kgrade_bare<kgrade_P>::kgrade_type...>",
        "kgrade_parameters(void (*)(kgrade_P...));",
        f"static_assert(kgrade_same<decltype(kgrade_parameters(&::{kernel})),",
        f'kgrade_types<{expected}>>::kgrade_value, "parameters differ");',
    ]


def _constant(prefix: str, name: str, lookup: Lookup, default: int) -> list[str]:
    """Lines that store the constant's value in a variable that `take_constants` reads from the PTX."""

    def store(value: str) -> list[str]:
        variable = f'extern "C" __device__ constexpr long long {prefix}{name}'
        # The assertion refuses 2.5, which the conversion would turn into 2.
        return [f"{variable} = (long long)({value});", f"static_assert(({value}) == (long long)({value}));"]

    lines = [f"#ifdef {name}", f'#line 1 "{_PREFIX} macro {name}"', *store(name)]
    if lookup is not Lookup.NONE:
        lines += ["#else", f'#line 1 "{_PREFIX} variable {name}"']
        if lookup is Lookup.DEFAULT:
            # `::NAME` finds what the submission declares, and otherwise what the using-directive brings in.
            value = f"{default + 1}LL - 1"
            lines += [f"namespace kgrade_unset {{ enum : long long {{ {name} = {value} }}; }}"]
            lines += ["using namespace kgrade_unset;"]
        lines += store(f"::{name}")
    return [*lines, "#endif"]
