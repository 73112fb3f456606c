"""Which reads wait: those that a thread repeats at one address until another thread has set a flag there."""

from __future__ import annotations

import pytest

from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.translate.cfg import build_program
from grader.run.emulator.translate.waits import find_waits

KERNEL = """.version 8.0
.target sm_89
.address_size 64
.visible .entry k()
{
    .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
    .global .align 8 .b8 words[64];
    mov.u64 %rd1, words;
    mov.u32 %r3, 0;
AGAIN:
    BODY
DONE:
    ret;
}
"""
LOOK = "ld.volatile.global.u32 %r1, [%rd1];"
BACK = "setp.eq.s32 %p1, %r1, 0; @%p1 bra AGAIN;"
WAITING = {
    "at once": f"{LOOK} {BACK}",
    "with acquire": f"ld.acquire.gpu.global.u32 %r1, [%rd1]; {BACK}",
    "relaxed": f"ld.relaxed.gpu.global.u32 %r1, [%rd1]; {BACK}",
    "with pauses and fences": f"nanosleep.u32 20; membar.gl; {LOOK} {BACK}",
    "with a barrier": f"{LOOK} bar.sync 0; {BACK}",
    "at an address computed anew": f"add.u64 %rd2, %rd1, 8; {LOOK.replace('%rd1', '%rd2')} {BACK}",
    "before the next element": f"""add.u64 %rd1, %rd1, 4;
        ELEMENT: {LOOK} setp.eq.s32 %p2, %r1, 0; @%p2 bra ELEMENT; setp.lt.u64 %p1, %rd1, 99; @%p1 bra AGAIN;""",
}
NOT_WAITING = {
    "once": LOOK,
    "of each element": f"{LOOK} add.u64 %rd1, %rd1, 4; {BACK}",
    "where the last one led": f"{LOOK} cvt.u64.u32 %rd1, %r1; {BACK}",
    "where the clock says": f"mov.u64 %rd2, %clock64; {LOOK.replace('%rd1', '%rd2')} {BACK}",
    "beside a store": f"{LOOK} st.global.u32 [%rd1+8], %r1; {BACK}",
    "beside an atomic": f"{LOOK} red.global.add.u32 [%rd1+8], 1; {BACK}",
    "plainly": f"{LOOK.replace('.volatile', '')} {BACK}",
}


def waits(body: str) -> list[str]:
    program = build_program(parse_module(KERNEL.replace("BODY", body)), "k")
    return [i.opcode for i in find_waits(program)]


@pytest.mark.parametrize("body", WAITING.values(), ids=WAITING)
def test_a_read_that_is_repeated_waits(body: str) -> None:
    assert waits(body) == ["ld"]


@pytest.mark.parametrize("body", NOT_WAITING.values(), ids=NOT_WAITING)
def test_other_reads_do_not(body: str) -> None:
    assert not waits(body)
