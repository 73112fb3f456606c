"""Runs PTX that goes for the memory beside the emulator's buffers, in a process whose buffers lie between guard pages.

Prints, for each launch, its name before it and what came of it after it: who dies has said by which.
"""

from __future__ import annotations

import numpy as np

from grader.run.emulator import Limits, Memory, Module, UnsupportedPtx, layout

HEAD = ".version 8.0\n.target sm_89\n.address_size 64\n// begin inline asm\n"
REGISTERS = ".reg .b64 %d<12>; .reg .b32 %r<12>; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .f32 %f<8>;"
WORDS = 1024


def kernel(body: str, before: str = "", parameters: str = ".param .u64 a, .param .u64 b") -> str:
    return f"{HEAD}{before}\n.visible .entry k({parameters}){{\n{REGISTERS}\nmov.u32 %r0,%tid.x;\n{body}\nret;\n}}\n"


def wild(operation: str, shared: bool = True) -> str:
    """An operation of each thread at an address of its own, of `b`: each in a launch of its own would take long."""
    arrays = ".shared .align 8 .b8 s0[24]; .shared .align 1 .b8 s1[3]; .shared .align 8 .b8 s2[8];" if shared else ""
    body = f"""{arrays} ld.param.u64 %d1,[b]; ld.param.u64 %d5,[a]; mul.wide.u32 %d2,%r0,8; add.s64 %d1,%d1,%d2;
        ld.global.u64 %d3,[%d1]; cvt.u32.u64 %r3,%d3; mov.u32 %r4,7; mov.u64 %d4,5; {operation}"""
    return kernel(body)


def recursion(inside: str) -> str:
    """A function that calls itself, with its frame and what is saved of it in local memory."""
    before = f""".func f(.param .b32 n){{ {REGISTERS} .local .align 8 .b8 l[16];
        ld.param.b32 %r1,[n]; mov.u64 %d1,l; {inside}
        setp.eq.s32 %p1,%r1,0; @%p1 bra OUT; sub.s32 %r1,%r1,1;
        {{ .param .b32 p; st.param.b32 [p],%r1; call f,(p); }}
        {inside}
        OUT: ret; }}"""
    return kernel("{ .param .b32 p; mov.u32 %r1,5; st.param.b32 [p],%r1; call f,(p); }", before)


def over_the_stack(word: str) -> str:
    """What is saved of the function's earlier calls lies below its own variables."""
    stores = "".join(f"@%p2 st.local.u32 [%d1-{4 * n}],%r2;" for n in range(1, 25))
    return f"mov.u32 %r2,{word}; setp.lt.s32 %p2,%r1,3; {stores}"


def call(given: int, taken: int) -> str:
    before = f".func (.param .b32 o) f(.param .align 8 .b8 x[{taken}]){{ {REGISTERS} st.param.b32 [o],%r1; ret; }}"
    by_address = "mov.u64 %d1,f; pt: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[8]); call (q),%d1,(p),pt;"
    return kernel(f"{{ .param .align 8 .b8 p[{given}]; .param .b32 q; {by_address} ld.param.b32 %r1,[q]; }}", before)


PROGRAMS = {
    # The same in all threads: a vector access that is in bounds in its first lanes, a store over what is read only.
    "writes its parameters": kernel(
        f"mov.u64 %d1,{layout.array_address(layout.PARAMETER_SLOT)}; st.global.u64 [%d1],%d1;"
    ),
    "atomics on its parameters": kernel(
        f"mov.u64 %d1,{layout.array_address(layout.PARAMETER_SLOT)}; atom.global.add.u32 %r1,[%d1],5;"
    ),
    "writes a constant": kernel(
        "mov.u64 %d1,c; cvta.const.u64 %d1,%d1; st.u32 [%d1],%r0;", ".const .align 4 .b8 c[64];"
    ),
    "discards a constant": kernel("mov.u64 %d1,c; discard.global.L2 [%d1],128;", ".const .align 128 .b8 c[256];"),
    "reads its parameters": kernel(
        f"mov.u64 %d1,{layout.array_address(layout.PARAMETER_SLOT)}; ld.global.u64 %d2,[%d1];"
    ),
    "a parameter in the place of the kernel's": kernel(
        "{ .param .b8 box[4]; st.param.b32 [box+4092],%r0; }", parameters=".param .align 8 .b8 box[4096]"
    ),
    "a parameter in the place of the function's": kernel(
        "{ .param .align 8 .b8 p[4096]; call f,(p); }",
        f".func f(.param .align 8 .b8 x[4096]){{ {REGISTERS} {{ .param .b8 x[4]; st.param.b32 [x+4092],%r0; }} ret; }}",
    ),
    "two parameters of one name": kernel("ld.param.u64 %d1,[x+4088];", parameters=".param .b8 x[4096], .param .u64 x"),
    "a result of the parameter's name": kernel(
        "ret;", ".func (.param .b32 x) f(.param .align 8 .b8 x[4096]){ .reg .b32 %r1; st.param.b32 [x+4092],%r1; ret; }"
    ),
    "a call with more than is taken": call(4096, 8),
    "a call with less than is taken": call(4, 4096),
    "writes over the way back": recursion(over_the_stack("%r1")),
    "writes a wild way back": recursion(over_the_stack("123456789")),
    "a frame that leaves the stack": recursion("sub.s64 %d1,%d1,4096; st.local.u32 [%d1],%r1;"),
    "300 shared arrays": kernel("".join(f".shared .b8 s{n}[4];" for n in range(300))),
    "too much shared memory in the module": kernel("mov.u32 %r1,s;", ".shared .b8 s[1048576];"),
    "shared memory by the read-only cache": kernel(
        ".shared .align 4 .b8 s[4]; mov.u32 %r1,s; ld.shared.nc.u32 %r2,[%r1];"
    ),
    "a huge frame": kernel(".local .b8 l[1099511627776]; mov.u64 %d1,l; st.local.u8 [%d1],%r1;"),
    "a huge alignment": kernel(".local .align 65536 .b8 l[4]; .local .align 1099511627776 .b8 m[4]; mov.u64 %d1,m;"),
    "barriers that are not there": kernel("add.s32 %r1,%r0,1000; barrier.sync %r1; bar.arrive %r1,%r0;"),
    "an arrival opens a barrier after an exit": kernel(
        "mov.u32 %r1,%ctaid.y; setp.eq.s32 %p1,%r0,5; @%p1 exit; bar.arrive 1,%r1;"
    ),
    "an arrival opens a barrier that others have skipped": kernel(
        """.shared .align 4 .b8 s[256]; mov.u32 %r1,%ctaid.y; setp.gt.u32 %p1,%r0,31; shl.b32 %r2,%r0,2; mov.u32 %r3,s;
        add.u32 %r2,%r2,%r3; @%p1 bra PAST; bar.sync 0; bra AFTER; PAST: barrier.sync 0,64;
        AFTER: st.shared.u32 [%r2],%r0; @%p1 exit; bar.arrive 0,%r1;"""
    ),
    "a huge barrier": kernel("barrier.sync 3,4294967264;"),
    "copies more than it says": kernel(
        """.shared .align 16 .b8 s[16]; ld.param.u64 %d1,[a]; mov.u32 %r1,s; mov.u32 %r2,-1;
        cp.async.ca.shared.global [%r1],[%d1],16,%r2; cp.async.ca.shared.global [%r1],[%d1],16,-1;
        cp.async.wait_all; cp.async.wait_group 4000000000;"""
    ),
    "300 copies under way": kernel(
        """.shared .align 16 .b8 s[1024]; ld.param.u64 %d1,[a]; mov.u32 %r1,s; shl.b32 %r2,%r0,4; add.s32 %r1,%r1,%r2;
        mov.u32 %r3,300; AGAIN: cp.async.ca.shared.global [%r1],[%d1],16; sub.s32 %r3,%r3,1; setp.ne.s32 %p1,%r3,0;
        @%p1 bra AGAIN; cp.async.wait_all;"""
    ),
    "prints from anywhere": kernel(
        """{ .param .b64 f; .param .b64 g; .param .b32 o; mov.u64 %d1,fmt; st.param.b64 [f],%d1;
        mov.u64 %d2,137438953471; st.param.b64 [g],%d2; call.uni (o),vprintf,(f,g); }""",
        ".extern .func (.param .b32 o) vprintf (.param .b64 f, .param .b64 g);\n"
        ".global .align 1 .b8 fmt[4] = {37, 115, 37, 115};",
    ),
    "shuffles by anything": kernel(
        """mul.lo.s32 %r1,%r0,-77; shfl.sync.up.b32 %r2,%r1,%r1,%r1,-1; shfl.sync.idx.b32 %r2,%r1,%r1,%r1,-1;
        shfl.sync.bfly.b32 %r2,%r1,99,-5,-1; shfl.sync.down.b32 %r2,%r1,-7,7199,-1;"""
    ),
    **{
        f"wild: {operation}": wild(operation)
        for operation in (
            *(f"ld.{width} %r1,[%d3];" for width in ("u8", "u16", "b32")),
            *("ld.v4.u32 {%r1,%r5,%r6,%r7},[%d3];", "ld.v2.u64 {%d6,%d7},[%d3];", "ld.volatile.b64 %d6,[%d3];"),
            *(f"st.{width} [%d3],%r4;" for width in ("u8", "u16", "b32")),
            *("st.v4.u32 [%d3],{%r4,%r4,%r4,%r4};", "st.v2.u64 [%d3],{%d4,%d4};", "st.volatile.b64 [%d3],%d4;"),
            *("atom.add.u32 %r1,[%d3],%r4;", "atom.cas.b64 %d6,[%d3],%d4,%d4;", "red.add.noftz.f16x2 [%d3],%r4;"),
            *("atom.shared.add.u32 %r1,[%r3],%r4;", "atom.shared.exch.b64 %d6,[%r3],%d4;"),
            *("ld.shared.b32 %r1,[%r3];", "st.shared.v2.b32 [%r3],{%r4,%r4};", "ld.shared.u8 %r1,[%d3];"),
            *("ld.shared.b64 %d6,[%d3];", "ld.shared.v4.u32 {%r1,%r5,%r6,%r7},[%r3];"),
            *("ld.local.b32 %r1,[%r3];", "st.local.b64 [%d3],%d4;", "st.local.u8 [%r3],%r4;"),
            *("cp.async.ca.shared.global [%r3],[%d5],16; cp.async.wait_all;", "discard.global.L2 [%d3],128;"),
            "cp.async.ca.shared.global [s0],[%d3],8,%r0; cp.async.wait_all;",
            *("mbarrier.init.shared.b64 [%r3],1;", "mbarrier.arrive.shared.b64 %d6,[%r3];"),
            *("mbarrier.test_wait.shared.b64 %p1,[%r3],%d4;", "cp.async.mbarrier.arrive.shared.b64 [%r3];"),
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r5,%r6,%r7},[%r3];",
        )
    },
    "a fragment by wild strides": wild(
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r5,%r6,%r7,%r8,%r9,%r10},[%d5],%r3;"
    ),
    "shared memory that is not there, read": wild("ld.b32 %r1,[%d3];", shared=False),
    "shared memory that is not there, read as shared": wild("ld.shared.b32 %r1,[%r3];", shared=False),
    "shared memory that is not there, written": wild("st.shared.b32 [%r3],%r4;", shared=False),
    "one lane after the other": wild(
        "mov.u32 %r5,0; AGAIN: setp.eq.s32 %p1,%r5,%r0; @%p1 ld.b32 %r1,[%d3]; add.s32 %r5,%r5,1; "
        "setp.lt.s32 %p2,%r5,33; @%p2 bra AGAIN;",
        shared=False,
    ),
}

WINDOWS = (0, layout.SHARED_WINDOW, layout.LOCAL_WINDOW, layout.array_address(layout.PARAMETER_SLOT))
SLOTS = (1, 2, 3, 128, 254, 255)
ADDRESSES = [
    *(window + step & (1 << 64) - 1 for window in WINDOWS for step in (-4, 0, 4, 0x41414140)),
    *(layout.SHARED_WINDOW + layout.shared_address(slot) + step for slot in SLOTS for step in (-4, 0, 3, 4, 8, 20, 23)),
    *(layout.shared_address(slot) + step for slot in SLOTS[:3] for step in (-8, 0, 2, 16)),
    *(layout.array_address(slot) for slot in (layout.FIRST_ARRAY_SLOT - 1, layout.SLOT_COUNT - 1)),
    *(layout.array_address(layout.FIRST_ARRAY_SLOT) + step for step in (-1, 4 * WORDS - 4, 4 * WORDS - 1, 4 * WORDS)),
    *((1 << 63), (1 << 64) - 1, (1 << 64) - 16, layout.LOCAL_WINDOW + 65536, layout.LOCAL_WINDOW * 2 - 4),
]


def run(text: str, mode: str) -> str:
    try:
        module = Module(text, sanitize=mode == "sanitize", count=mode == "count", quick=True)
        memory = Memory()
        places = [memory.place("a", np.zeros(WORDS, np.int32)), memory.place("b", np.array(ADDRESSES, np.uint64))]
        sizes = module.kernels["k"].parameter_bytes
        given = [
            place.to_bytes(8, "little") if size == 8 else bytes(size)
            for place, size in zip(places, sizes, strict=False)
        ]
        result = module.launch("k", (2, 1, 1), (64, 1, 1), given, memory, limits=Limits(400_000, 20.0), workers=1)
    except UnsupportedPtx as error:
        return f"refused: {error}"
    except MemoryError:
        return "memory"
    return f"{result.fault.kind}: {result.fault.message}" if result.fault is not None else result.status


def main() -> None:
    for name, text in PROGRAMS.items():
        for mode in ("", "sanitize", "count"):
            print(f"begin {mode}|{name}", flush=True)
            print(f"end {mode}|{name}|{run(text, mode)}", flush=True)


if __name__ == "__main__":
    main()
