"""Races in shared memory that a compiler lays out by itself are not the kernel's; others are."""

from __future__ import annotations

import pytest

from grader.run.emulator import Memory, Module

RACE = """
.version 8.0
.target sm_89
.address_size 64
.shared .align 4 .b8 laid_out[128];
.visible .entry writes()
{
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    st.shared.u32 [laid_out], %r1;
    ret;
}
"""


@pytest.mark.parametrize(("own", "status"), [("", "fault"), ("another", "fault"), ("laid_out", "done")])
def test_a_race_in_what_the_compiler_laid_out(own: str, status: str) -> None:
    result = Module(RACE, sanitize=True).launch("writes", (1, 1, 1), (64, 1, 1), [], Memory(own))
    assert result.status == status
