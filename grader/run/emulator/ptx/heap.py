"""The heap of a kernel: malloc() and free(), which the device's runtime library defines, in PTX of our own.

Memory is given out in turn. Once all of it has come back it is given out anew, so that a kernel that uses what it has
freed, or reads what it has not written, is not found out. new and delete call these too.
"""

from __future__ import annotations

from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.ptx.syntax import PtxModule

HEAP_BYTES = 8 << 20
"""What a GPU has at first (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations")."""

# The state of the heap is one word: how many pieces are in use, and in the lower half how many bytes were given out.
_HEAP = f"""
.version 7.0
.target sm_80
.address_size 64
.global .align 16 .b8 kgrade$heap[{HEAP_BYTES}];
.global .align 8 .u64 kgrade$heap_state;
.func (.param .b64 result) malloc(.param .b64 size)
{{
    .reg .pred %p<4>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [size];
    mov.u64 %rd9, 0;
    setp.eq.u64 %p1, %rd1, 0;
    setp.gt.u64 %p2, %rd1, {HEAP_BYTES};
    or.pred %p1, %p1, %p2;
    @%p1 bra $given;
    add.u64 %rd1, %rd1, 15;
    and.b64 %rd1, %rd1, -16;
    mov.u64 %rd2, kgrade$heap_state;
    atom.global.add.u64 %rd3, [%rd2], 0;
$again:
    and.b64 %rd4, %rd3, 0xffffffff;
    add.u64 %rd5, %rd4, %rd1;
    setp.gt.u64 %p1, %rd5, {HEAP_BYTES};
    @%p1 bra $given;
    add.u64 %rd6, %rd3, %rd1;
    add.u64 %rd6, %rd6, 0x100000000;
    mov.u64 %rd7, %rd3;
    atom.global.cas.b64 %rd3, [%rd2], %rd7, %rd6;
    setp.ne.u64 %p2, %rd3, %rd7;
    @%p2 bra $again;
    membar.gl;
    mov.u64 %rd8, kgrade$heap;
    add.u64 %rd9, %rd8, %rd4;
$given:
    st.param.b64 [result], %rd9;
    ret;
}}
.func free(.param .b64 address)
{{
    .reg .pred %p<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [address];
    setp.eq.u64 %p1, %rd1, 0;
    @%p1 bra $freed;
    membar.gl;
    mov.u64 %rd2, kgrade$heap_state;
    atom.global.add.u64 %rd3, [%rd2], 0;
$again:
    setp.lt.u64 %p1, %rd3, 0x100000000;
    @%p1 bra $freed;
    sub.u64 %rd4, %rd3, 0x100000000;
    setp.lt.u64 %p2, %rd4, 0x100000000;
    selp.b64 %rd4, 0, %rd4, %p2;
    mov.u64 %rd5, %rd3;
    atom.global.cas.b64 %rd3, [%rd2], %rd5, %rd4;
    setp.ne.u64 %p3, %rd3, %rd5;
    @%p3 bra $again;
$freed:
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
