"""Loads into registers that are wider than what is loaded: compilers extend integers that way."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.emulator import Memory, Module

from .harness import compile_ptx

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .KIND value) {
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.global.KIND %rd3, [%rd1];
    st.global.u64 [%rd2], %rd3;
    ld.global.v2.KIND {%rd4, %rd5}, [%rd1];
    st.global.v2.u64 [%rd2+16], {%rd4, %rd5};
    ld.param.KIND %rd6, [value];
    st.global.u64 [%rd2+8], %rd6;
    ret;
}
"""
C_TYPES = {
    "s8": "signed char",
    "s16": "short",
    "s32": "int",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned",
}
DTYPES = {"s8": "i1", "s16": "i2", "s32": "i4", "u8": "u1", "u16": "u2", "u32": "u4"}


@pytest.mark.parametrize("kind", DTYPES)
def test_a_load_extends_by_the_sign_of_its_type(kind: str) -> None:
    values = np.array([-3, 7]).astype(DTYPES[kind])
    memory = Memory()
    places = [memory.place("from", values), memory.place("to", np.zeros(4, "i8"))]
    arguments = [*(place.to_bytes(8, "little") for place in places), values[:1].tobytes()]
    assert Module(PTX.replace("KIND", kind)).launch("k", (1, 1, 1), (1, 1, 1), arguments, memory).status == "done"
    first, second = values.astype("i8")
    assert memory.read("to").tolist() == [first, first, first, second]


@pytest.mark.parametrize("kind", C_TYPES)
def test_what_a_compiler_widens_keeps_its_sign(kind: str) -> None:
    source = f'extern "C" __global__ void k(const {C_TYPES[kind]}* from, long long* to) {{ *to += *from; }}'
    values = np.array([-3]).astype(DTYPES[kind])
    memory = Memory()
    places = [memory.place("from", values), memory.place("to", np.array([10], "i8"))]
    arguments = [place.to_bytes(8, "little") for place in places]
    assert Module(compile_ptx(source)).launch("k", (1, 1, 1), (1, 1, 1), arguments, memory).status == "done"
    assert memory.read("to")[0] == 10 + int(values[0])
