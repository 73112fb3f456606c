"""PTX text that is made to take long: reading and translating it takes time in proportion, or it is refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from grader.run.emulator import Module, UnsupportedPtx
from grader.run.emulator.printf import format_printf
from grader.run.emulator.ptx.dwarf import read_debugging
from grader.run.emulator.translation import Translation
from grader.run.fault_words import traps_of

SECONDS = 20.0
"""Many times what each takes, and a small part of what a quadratic step would."""


def kernel(*lines: str, before: str = "") -> str:
    body = "\n".join(lines)
    head = ".version 8.0\n.target sm_89\n.address_size 64\n// begin inline asm\n"
    return (
        f"{head}{before}\n.visible .entry k(.param .u64 a){{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
    )


def chain(count: int) -> str:
    """Registers that are made from each other, the last one first."""
    moves = [f"add.s64 %q{n},%q{n + 1},1;" for n in range(count)]
    return kernel(f".reg .b64 %q<{count + 1}>;", *moves, f"ld.param.u64 %q{count},[a];", "st.global.u32 [%q0],%r1;")


def functions(count: int) -> str:
    """Each calls the next, and the last the first."""
    text = [f".func f{n}();" for n in range(count)]
    text += [f".func f{n}(){{ call f{(n + 1) % count}; ret; }}" for n in range(count)]
    return kernel("call f0;", before="\n".join(text))


TEXTS: dict[str, Callable[[], str]] = {
    "comments that do not end": lambda: kernel("/*" * 200_000),
    "blanks": lambda: kernel("\n" * 500_000),
    "a number": lambda: kernel(f"mov.u32 %r1,{'9' * 1_000_000};"),
    "a hexadecimal number": lambda: kernel(f"mov.u32 %r1,0x{'f' * 1_000_000};"),
    "a count of registers": lambda: kernel(f".reg .b32 %x<{'9' * 5000}>;"),
    "many ranges of registers": lambda: kernel(*(f".reg .b32 %x{n}<200000>;" for n in range(5000))),
    "a size": lambda: kernel(f".shared .b8 all[{'9' * 5000}];"),
    "an alignment": lambda: kernel(f".shared .align {'9' * 5000} .b8 all[4];"),
    "a line": lambda: kernel(f".loc {'1' * 5000} {'1' * 5000} 1"),
    "a symbol": lambda: kernel(f"mov.u64 %rd1,_Z{'9' * 5000};"),
    "blocks in blocks": lambda: kernel("{" * 50_000, "}" * 50_000),
    "braces in operands": lambda: kernel(f"mov.b32 %r1,{'{' * 50_000}%r1{'}' * 50_000};"),
    "labels": lambda: kernel(*(f"$L{n}:" for n in range(60_000))),
    "one name in many blocks": lambda: kernel(*("{ .reg .b32 x; mov.u32 x,1; }" for _ in range(20_000))),
    "a wide vector": lambda: kernel(f"mov.b64 %rd1,{{{','.join(['%r1'] * 100_000)}}};"),
    "a table of jumps": lambda: kernel(
        "$T: .branchtargets " + ",".join(["$L"] * 40_000) + ";", *["brx.idx %r1,$T;"] * 40, "$L:"
    ),
    "a chain of registers": lambda: chain(4000),
    "a ring of functions": lambda: functions(1500),
    "a parameter": lambda: kernel("{ .param .b8 p[1000000000]; }"),
    "many parameters": lambda: kernel(*(f"{{ .param .b8 p{n}[1000000]; }}" for n in range(300))),
    "a large variable": lambda: kernel("mov.u64 %rd1,g;", before=".global .b8 g[99999999999999999999];"),
    "many shared arrays": lambda: kernel(*(f".shared .b8 s{n}[1];" for n in range(300))),
}


class TranslatedModule(Module):
    """What LLVM takes is in proportion to the code, whose length has a limit: it is left out."""

    def native_of(self, translation: Translation) -> Any:
        return None


@pytest.mark.parametrize("name", TEXTS)
def test_reading_and_translating_takes_time_in_proportion(name: str) -> None:
    text = TEXTS[name]()
    began = time.process_time()
    try:
        TranslatedModule(text, sanitize=True).prepare("k")
    except UnsupportedPtx as refusal:
        assert len(str(refusal)) < 500
    assert time.process_time() - began < SECONDS


def test_other_texts_are_read_in_proportion() -> None:
    began = time.process_time()
    blanks = "\n" * 300_000
    traps_of(f".loc 1 {'1' * 5000} 1\n.loc 1 1 1{blanks}x{' ' * 300_000}\n")
    read_debugging(f"{blanks}.section .debug_info {{{blanks}.b8 {' ' * 300_000}\n}}")
    format_printf("%" + "0" * 200_000 + "!" + "%" + "1" * 200_000 + "!", b"", lambda _: b"")
    assert time.process_time() - began < SECONDS
