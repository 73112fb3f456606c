"""A value that all threads have read, and that one of them uses, is read by that one alone."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.emulator import Memory, Module

KERNEL = """
.version 8.0
.target sm_89
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{{
    .reg .pred %p<6>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    add.s64 %rd5, %rd1, %rd3;
    ld.global.u32 %r2, [%rd1];
    add.u32 %r3, %r2, 1;
    {rest}
    ret;
}}
"""
ONE = "setp.eq.s32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], %r3;"
QUIET = {
    "the first thread stores it": ONE,
    "the first of each 128": "and.b32 %r4, %r1, 127; setp.ne.b32 %p1, %r4, 0; @!%p1 st.global.u32 [%rd1], %r3;",
    "the first lane of the first warp": (
        "and.b32 %r4, %r1, 31; setp.eq.b32 %p2, %r4, 0; setp.lt.u32 %p3, %r1, 32; and.pred %p1, %p2, %p3; "
        "@%p1 st.global.u32 [%rd1], %r3;"
    ),
    "the first, if data says so": (
        "ld.global.u32 %r5, [%rd4]; setp.lt.s32 %p2, %r5, 9; setp.eq.s32 %p3, %r1, 0; "
        "and.pred %p1, %p2, %p3; @%p1 st.global.u32 [%rd1], %r3;"
    ),
    "the first, if the value says so": (
        "setp.lt.s32 %p2, %r3, 9; setp.eq.s32 %p3, %r1, 0; and.pred %p1, %p3, %p2; @%p1 st.global.u32 [%rd1], %r3;"
    ),
}
RACES = {
    "all store it elsewhere": ONE + "@%p1 bra END; st.global.u32 [%rd5], %r2; END:",
    "a branch depends on it": "setp.eq.u32 %p4, %r2, 7; " + ONE + " @%p4 bra END; mov.u32 %r6, 1; END:",
    "the first lane of two warps": (
        "and.b32 %r4, %r1, 31; setp.eq.b32 %p2, %r4, 0; setp.lt.u32 %p3, %r1, 64; and.pred %p1, %p2, %p3; "
        "@%p1 st.global.u32 [%rd1], %r3;"
    ),
    "the number of a thread is taken for negative": "setp.gt.s32 %p1, %r1, -1; @%p1 st.global.u32 [%rd1], %r3;",
    "two threads store it": "setp.lt.s32 %p1, %r1, 2; @%p1 st.global.u32 [%rd1], %r3;",
    "data says who stores it": ("ld.global.u32 %r5, [%rd4]; setp.eq.s32 %p1, %r5, 0; @%p1 st.global.u32 [%rd1], %r3;"),
    "the next thread stores what it loads": (
        "setp.eq.s32 %p1, %r1, 0; setp.eq.s32 %p2, %r1, 33; @%p1 st.global.u32 [%rd1], %r1; "
        "@%p2 st.global.u32 [%rd5], %r2;"
    ),
}


def run(rest: str) -> str:
    memory = Memory()
    out = memory.place("out", np.zeros(128, np.uint32))
    given = memory.place("in", np.arange(128, dtype=np.uint32))
    arguments = [address.to_bytes(8, "little") for address in (out, given)]
    module = Module(KERNEL.format(rest=rest), sanitize=True)
    result = module.launch("k", (1, 1, 1), (128, 1, 1), arguments, memory)
    return result.status if result.fault is None else result.fault.kind


@pytest.mark.parametrize("rest", QUIET.values(), ids=QUIET)
def test_one_thread_uses_it(rest: str) -> None:
    assert run(rest) == "done"


@pytest.mark.parametrize("rest", RACES.values(), ids=RACES)
def test_other_threads_may_use_it(rest: str) -> None:
    assert run(rest) == "data_race"
