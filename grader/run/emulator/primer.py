"""Compiles what most kernels share before there is a kernel, so that it can be kept for all of them.

What a process compiles once it holds a submission's code is for that submission alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.run.emulator.engine import key_of
from grader.run.emulator.module import Module, driver
from grader.run.emulator.objects import Objects

_SPACES = ("global", "shared", "generic", "local")
_NARROWEST = (("u8", "u16", "b32"), ("u16", "b32"), ("b32",))
"""The accesses of a kernel of bytes, of one of halves and of one of words: race checks have cells of the narrowest.
Vectors are in the last alone, where most are."""
_VECTORS = (
    *((space, "b32", vector) for vector in (".v2", ".v4") for space in ("global", "shared")),
    *(("local", "b32", vector) for vector in ("", ".v4")),
)
_KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry primer(.param .u64 p)
{{
    .reg .pred %p<2>;
    .reg .b16 %h<2>;
    .reg .b32 %r<5>;
    .reg .b64 %d<2>;
    .reg .f32 %f<2>;
    .shared .align 16 .b8 tile[64];
    .local .align 16 .b8 frame[64];
    ld.param.u64 %d1, [p];
{accesses}
    atom.global.add.u32 %r1, [%d1], %r2;
    atom.global.add.f32 %f1, [%d1], %f1;
    atom.shared.add.u32 %r1, [tile], %r2;
    atom.global.cas.b32 %r1, [%d1], %r2, %r3;
    red.global.add.f32 [%d1], %f1;
    ex2.approx.f32 %f1, %f1;
    shfl.sync.down.b32 %r1, %r1, 16, 31, -1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $past;
    bar.sync 0;
$past:
    st.global.u32 [%d1], %r1;
    bar.sync 0;
    ret;
}}
"""


def prime(objects: Objects, link: bool = False, count: bool = False) -> None:
    """Adds to `objects` the code that every kernel needs, and the routines of the usual loads and stores: those that
    check, and those of debug builds, or with `count` those that count.

    Code that is there already is not compiled again. With `link`, it is also linked into this process now, instead of
    when a kernel needs it.
    """
    driver(objects)
    # Counting knows no cells.
    for kinds in _NARROWEST[:1] if count else _NARROWEST:
        ptx = _primer(kinds, vectors=count or kinds == _NARROWEST[-1])
        if objects.find(key := key_of(f"{count}\0{ptx}")) is None or link:
            Module(ptx, objects, sanitize=not count, count=count).prepare("primer")
            objects.add(key, b"")
    if not count:
        _prime_values(objects, link)


def _prime_values(objects: Objects, link: bool) -> None:
    """The routines of a debug build, which is checked for uses of local variables without a value."""
    ptx = _primer(_NARROWEST[0], vectors=True)
    if objects.find(key := key_of(f"values\0{ptx}")) is None or link:
        Module(ptx, objects, values=True).prepare("primer")
        objects.add(key, b"")


def _primer(kinds: Sequence[str], vectors: bool) -> str:
    """The PTX of a kernel with accesses of these kinds."""
    scalars = ((space, kind, "") for kind in kinds for space in _SPACES if space != "local")
    return _KERNEL.format(accesses="\n".join(map(_access, (*scalars, *(_VECTORS if vectors else ())))))


def _access(access: tuple[str, str, str]) -> str:
    space, kind, vector = access
    place = {"shared": "tile", "local": "frame"}.get(space, "%d1")
    instruction = f"{'' if space == 'generic' else f'.{space}'}{vector}.{kind}"
    register = "%h1" if kind == "u16" else "%r1"
    value = {"": register, ".v2": "{%r1, %r2}", ".v4": "{%r1, %r2, %r3, %r4}"}[vector]
    return f"    ld{instruction} {value}, [{place}];\n    st{instruction} [{place}], {value};"
