"""Checks with the compiler, which alone resolves aliases, that solve() takes the problem's parameters.

A constant expression appended to the source does it; C linkage links by name only, so nothing else would notice.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.compile.facts import Facts
from grader.compile.probe import undefine
from grader.compile.signature import Parameters, first_difference
from grader.core.report import Diagnostic

MARK = "kgrade: the parameters of solve()"

_INTEGERS = ("unsigned", "long", "unsigned long", "long long", "unsigned long long")

# const and the width of integers don't matter, because addresses and sizes come in 64-bit registers; nor does the
# choice between C++'s two names for a 64-bit integer.
_CHECK = """
namespace kgrade_check {{
template <class T> struct kind {{ using bare = T; }};
{integers}
template <class T> struct kind<const T> {{ using bare = typename kind<T>::bare; }};
template <class T> struct kind<const T*> {{ using bare = typename kind<T*>::bare; }};
template <> struct kind<long long*> {{ using bare = long*; }};
template <> struct kind<unsigned long long*> {{ using bare = unsigned long*; }};
template <class A, class B> struct same {{ enum {{ value = 0 }}; }};
template <class A> struct same<A, A> {{ enum {{ value = 1 }}; }};
template <class... T> struct list {{}};
template <class A, class B> struct fits {{ enum {{ value = 0 }}; }};
template <> struct fits<list<>, list<>> {{ enum {{ value = 1 }}; }};
template <class A, class... As, class B, class... Bs> struct fits<list<A, As...>, list<B, Bs...>> {{
    enum {{ first = same<typename kind<A>::bare, typename kind<B>::bare>::value }};
    enum {{ value = first && fits<list<As...>, list<Bs...>>::value }};
}};
template <class F> struct takes;
template <class R, class... P> struct takes<R (*)(P...)> {{ using parameters = list<P...>; }};
}}
static_assert(kgrade_check::fits<kgrade_check::takes<decltype(&::solve)>::parameters,
                                 kgrade_check::list<{types}>>::value, "{mark}");
"""


def check_of(parameters: Parameters) -> str:
    """The text appended to a source that has to have `solve` with these parameters."""
    integers = "\n".join(f"template <> struct kind<{name}> {{ using bare = int; }};" for name in _INTEGERS)
    types = ", ".join(c_type for c_type, _ in parameters)
    text = _CHECK.format(types=types, mark=MARK, integers=integers)
    return f'\n\n#line 1 "{MARK}"\n' + "\n".join([*undefine(text, {"solve"}), text])


def explain(parameters: Parameters, facts: Facts) -> Diagnostic:
    """The diagnostic for a source that fails the check."""
    found = next((f for f in facts.functions if f.name == "solve" and f.defined and not f.namespace), None)
    expected = f"expected: {_declared(f'{c_type} {name}' for c_type, name in parameters)}"
    if found is None:
        return Diagnostic("error", "solve() does not have the problem's parameters", hint=expected)
    overloads = {f.signature for f in facts.functions if f.name == "solve" and not f.namespace}
    if len(overloads) > 1:
        message = f"solve() is overloaded: {len(overloads)} functions have that name"
        return Diagnostic("error", message, found.line, hint=f"Give the others another name.\n{expected}")
    difference = first_difference(found.parameters, parameters)
    message = f"solve() does not have the problem's parameters{difference and ': ' + difference}"
    return Diagnostic("error", message, found.line, hint=f"{expected}\nfound:    {_declared(found.parameters)}")


def _declared(parameters: Iterable[str]) -> str:
    return f'extern "C" void solve({", ".join(parameters)})'
