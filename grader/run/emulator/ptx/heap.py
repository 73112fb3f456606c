"""The heap of a kernel: malloc() and free(), which the device's runtime library defines, in PTX of our own.

Memory is given out in turn and never again, so that a kernel that uses what it has freed, or reads what it has not
written, is not found out. new and delete call these too.
"""

from __future__ import annotations

from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.ptx.syntax import PtxModule

HEAP_BYTES = 32 << 20
"""Four times what a GPU has at first (CUDA C++ Programming Guide, "Heap Memory Allocation"), since none comes back."""

_HEAP = f"""
.version 7.0
.target sm_80
.address_size 64
.global .align 16 .b8 kgrade$heap[{HEAP_BYTES}];
.global .align 8 .u64 kgrade$heap_used;
.func (.param .b64 result) malloc(.param .b64 size)
{{
    .reg .pred %p<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [size];
    mov.u64 %rd7, 0;
    setp.eq.u64 %p1, %rd1, 0;
    setp.gt.u64 %p2, %rd1, {HEAP_BYTES};
    or.pred %p1, %p1, %p2;
    @%p1 bra $given;
    add.u64 %rd2, %rd1, 15;
    and.b64 %rd2, %rd2, -16;
    mov.u64 %rd3, kgrade$heap_used;
    atom.global.add.u64 %rd4, [%rd3], %rd2;
    add.u64 %rd5, %rd4, %rd2;
    setp.gt.u64 %p3, %rd5, {HEAP_BYTES};
    @%p3 bra $given;
    mov.u64 %rd6, kgrade$heap;
    add.u64 %rd7, %rd6, %rd4;
$given:
    st.param.b64 [result], %rd7;
    ret;
}}
.func free(.param .b64 address)
{{
    ret;
}}
"""


def define_heap(module: PtxModule) -> None:
    """Defines malloc and free where the module declares one of them."""
    declared = (module.functions.get(name) for name in ("malloc", "free"))
    if any(function is not None and function.body is None for function in declared):
        heap = parse_module(_HEAP)
        module.functions |= heap.functions
        module.variables |= heap.variables
