"""The kernels of `calibrate_model.py` that access memory, wait for one another, or are only launched.

`data` is a list of 32-bit numbers. A chase follows it: each number is the place of the next, so that every load waits
for the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from model_kernels import Kernel

STEPS = 32
"""Accesses of an iteration."""
WIDTHS = {4: "", 8: ".v2", 16: ".v4"}
"""Bytes of a lane's access to shared memory, and PTX's word for it."""
STRIDES = (1, 2, 4, 8, 16, 32)
"""Distances between lanes in words: so many lanes share a bank."""
STAGES = 4
"""Bulk copies that are under way at once."""


def _kernel(name: str, body: str, opcode: str, count: int, shared: int = 0) -> Kernel:
    text = f'\nextern "C" __global__ void __launch_bounds__(1024) {name}(PARAMETERS) {{{body}}}\n'
    return Kernel(name, text, opcode, count, shared)


def _chases() -> Iterator[Kernel]:
    for name, space in (("l1", "ca"), ("l2", "cg")):
        step = f'asm volatile("ld.global.{space}.u32 %0, [%1];" : "=r"(at) : "l"(data + at) : "memory");'
        yield _kernel(
            f"chase_{name}",
            f"""
    // `extra` is where to begin; the first steps only bring what is followed into the cache.
    u32 at = extra;
    for (int i = 0; i < STEPS_BEFORE; i++) {step}
    BEGIN
    LOOP {{
        {step * STEPS}
    }}
    END
    sink[threadIdx.x] = at;
""".replace("STEPS_BEFORE", "4096" if name == "l1" else "0"),
            "LDG",
            STEPS,
        )
    step = 'asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) :: "memory");'
    yield _kernel(
        "chase_shared",
        f"""
    __shared__ u32 list[64];
    for (u32 i = threadIdx.x; i < 64; i += blockDim.x) list[i] = shared_address(list + (i + 1) % 64);
    u32 at = shared_address(list);
    BEGIN
    LOOP {{
        {step * STEPS}
    }}
    END
    sink[threadIdx.x] = at;
""",
        "LDS",
        STEPS,
    )
    # Each address of its own, one access at a time: near and far halves of L2 differ by where the line lies.
    yield _kernel(
        "latency_by_line",
        """
    LOOP {
        u32 value;
        // Once to have the line in L2, once to measure.
        for (int k = 0; k < 2; k++) {
            u64 begin = now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + i * extra) : "memory");
            asm volatile("" :: "r"(value) : "memory");
            sink[0] = value;
            u64 end = now();
            times[4 * i] = begin;
            times[4 * i + 1] = end;
        }
    }
""",
        "LDG",
        2,
    )


def _shared() -> Iterator[Kernel]:
    for width, vector in WIDTHS.items():
        words = width // 4
        values = ", ".join(f"%{i}" for i in range(words))
        braces = f"{{{values}}}" if words > 1 else values
        outputs = ", ".join(f'"=r"(v[{i}])' for i in range(words))
        inputs = ", ".join(f'"r"(v[{i}])' for i in range(words))
        load = f'asm volatile("ld.volatile.shared{vector}.u32 {braces}, [%{words}];" : {outputs} : "r"(at) : "memory");'
        store = f'asm volatile("st.volatile.shared{vector}.u32 [%{words}], {braces};" :: {inputs}, "r"(at) : "memory");'
        suffix = {4: "", 8: ".64", 16: ".128"}[width]
        for name, step, opcode in (("load", load, "LDS"), ("store", store, "STS")):
            yield _kernel(
                f"shared_{name}_{width}",
                f"""
    extern __shared__ __align__(16) unsigned char room[];
    // Lanes are `extra` accesses apart.
    u32 v[{words}] = {{}}, at = shared_address(room) + (threadIdx.x * extra * {width}) % 32768;
    BEGIN
    LOOP {{
        {step * STEPS}
    }}
    END
    sink[threadIdx.x] = v[0];
""",
                opcode + suffix,
                STEPS,
                shared=32768,
            )
    # The compiler has an instruction of its own for adding 1 where nobody reads the result.
    count = 'asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(at) : "memory");'
    add = 'asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(at), "r"(threadIdx.x) : "memory");'
    for name, step, opcode in (("counts", count, "ATOMS.POPC.INC"), ("atomics", add, "ATOMS.ADD")):
        yield _kernel(
            f"shared_{name}",
            f"""
    extern __shared__ __align__(16) unsigned char room[];
    // `extra` different addresses among the lanes of a warp.
    u32 v = 0, at = shared_address(room) + threadIdx.x % extra * 4;
    BEGIN
    LOOP {{
        {step * STEPS}
    }}
    END
    sink[threadIdx.x] = v;
""",
            opcode,
            STEPS,
            shared=1024,
        )


def _wide_load(space: str, number: int) -> str:
    outputs = ", ".join(f'"=r"(v[{4 * number + i}])' for i in range(4))
    load = f"ld.global.{space}.v4.u32 {{%0, %1, %2, %3}}, [%4];"
    return f'asm volatile("{load}" : {outputs} : "l"(at + {number} * step) : "memory");\n            '


def _global() -> Iterator[Kernel]:
    for name, space in (("l1", "ca"), ("l2", "cg")):
        loads = "".join(_wide_load(space, i) for i in range(4))
        yield _kernel(
            f"read_{name}",
            f"""
    // `extra` KiB, read n times by all threads together.
    size_t total = (size_t)extra * 64, step = (size_t)gridDim.x * blockDim.x;
    u32 v[16] = {{}}, sum = 0;
    BEGIN
    LOOP {{
        for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k + 3 * step < total; k += 4 * step) {{
            const uint4 *at = (const uint4 *)data + k;
            {loads}
            for (int j = 0; j < 16; j++) sum ^= v[j];
        }}
    }}
    END
    if (sum == 0x12345) sink[0] = sum;
""",
            "LDG.E.128",
            4,
        )
    yield _kernel(
        "write_global",
        """
    size_t total = (size_t)extra * 64, step = (size_t)gridDim.x * blockDim.x;
    BEGIN
    LOOP {
        for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < total; k += step)
            asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"((uint4 *)data + k), "r"(i) : "memory");
    }
    END
""",
        "STG.E.128",
        1,
    )
    step = 'asm volatile("ld.global.ca.u32 %0, [%1 + {}];" : "=r"(value) : "l"(at) : "memory"); sum ^= value;'
    steps = "".join(step.format(128 * i) for i in range(STEPS))
    yield _kernel(
        "l1_lines",
        f"""
    // Lanes are `extra` words apart, in 20 KiB: all in L1. The place changes, or the compiler would load once.
    u32 value, sum = 0;
    BEGIN
    LOOP {{
        const u32 *at = data + (threadIdx.x * extra + i * 32) % 4096;
        {steps}
    }}
    END
    sink[threadIdx.x] = sum;
""",
        "LDG",
        STEPS,
    )
    # An exchange, because the compiler adds up a warp's additions to one address before it sends them.
    chain = 'asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(value) : "l"(at), "r"(value + 1) : "memory");'
    yield _kernel(
        "chase_atomic",
        f"""
    u32 *at = data, value = 0;
    BEGIN
    LOOP {{
        {chain * STEPS}
    }}
    END
    sink[threadIdx.x] = value;
""",
        "ATOMG",
        STEPS,
    )
    step = 'asm volatile("red.global.add.u32 [%0], %1;" :: "l"(at), "r"(i) : "memory");'
    yield _kernel(
        "atomics",
        f"""
    // One address for all if `extra` is 0, else one for each thread.
    u32 *at = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * extra;
    BEGIN
    LOOP {{
        {step * STEPS}
    }}
    END
""",
        "RED",
        STEPS,
    )


def _asynchronous() -> Iterator[Kernel]:
    copies = "".join(
        f'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to + {i} * 16 * blockDim.x), '
        f'"l"(from + {i} * blockDim.x) : "memory");\n        '
        for i in range(4)
    )
    yield _kernel(
        "copy_async",
        f"""
    extern __shared__ __align__(128) unsigned char room[];
    u32 to = shared_address(room) + threadIdx.x * 16;
    const uint4 *from = (const uint4 *)data + threadIdx.x + (size_t)blockIdx.x * 4 * blockDim.x;
    BEGIN
    LOOP {{
        {copies}
        asm volatile("cp.async.commit_group;\\n cp.async.wait_group 0;" ::: "memory");
    }}
    END
""",
        "LDGSTS",
        4,
        shared=65536,
    )
    for stages in (1, STAGES):
        yield _bulk(stages)


def _bulk(stages: int) -> Kernel:
    wait = "{.reg .pred done; AGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra AGAIN;}"
    copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
    return _kernel(
        f"copy_bulk_{stages}",
        f"""
    // `extra` bytes at a time by one thread, {stages} copies under way.
    extern __shared__ __align__(128) unsigned char room[];
    __shared__ u64 barriers[{stages}];
    const unsigned char *from = (const unsigned char *)data + (size_t)blockIdx.x * {stages} * extra;
    if (threadIdx.x == 0) {{
        for (int k = 0; k < {stages}; k++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(shared_address(barriers + k)) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }}
    __syncthreads();
    BEGIN
    if (threadIdx.x == 0)
        _Pragma("unroll 1") for (int i = 0; i < n + {stages}; i++) {{
            u32 k = i % {stages}, bar = shared_address(barriers + k);
            if (i >= {stages})
                asm volatile("{wait}" :: "r"(bar), "r"((i / {stages} - 1) & 1) : "memory");
            if (i < n) {{
                asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(bar), "r"(extra) : "memory");
                asm volatile("{copy}"
                             :: "r"(shared_address(room) + k * extra), "l"(from + k * extra), "r"(extra), "r"(bar)
                             : "memory");
            }}
        }}
    __syncthreads();
    END
""",
        "UBLKCP",
        1,
        shared=stages * 16384,
    )


def _waiting() -> Iterator[Kernel]:
    yield _kernel(
        "barriers",
        """
    BEGIN
    LOOP {
        """
        + 'asm volatile("bar.sync 0;" ::: "memory");' * STEPS
        + """
    }
    END
""",
        "BAR",
        STEPS,
    )
    yield _kernel(
        "fences",
        """
    BEGIN
    LOOP {
        asm volatile("st.global.u32 [%0], %1;" :: "l"(data + threadIdx.x), "r"(i) : "memory");
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    END
""",
        "MEMBAR",
        1,
    )
    yield _kernel(
        "clocks",
        """
    // Cycles and nanoseconds of the same work: the clock under load.
    float x = threadIdx.x, a = extra;
    u64 from = wall();
    BEGIN
    LOOP {
        """
        + 'asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));' * STEPS
        + """
    }
    END
    u64 to = wall();
    if (threadIdx.x == 0) { times[4 * blockIdx.x * (blockDim.x / 32) + 2] = from;
                            times[4 * blockIdx.x * (blockDim.x / 32) + 3] = to; }
    sink[threadIdx.x] = x;
""",
        "FFMA",
        STEPS,
    )
    yield _kernel(
        "places",
        """
    // Which SM a block ran on, and when: from one block's end to the next one's beginning.
    BEGIN
    LOOP asm volatile("" ::: "memory");
    END
    if (threadIdx.x == 0) times[4 * blockIdx.x * (blockDim.x / 32) + 2] = place();
""",
        "EXIT",
        1,
    )
    yield _kernel("nothing", "", "EXIT", 1)


def memory_kernels() -> Iterator[Kernel]:
    """All of them."""
    yield from _chases()
    yield from _shared()
    yield from _global()
    yield from _asynchronous()
    yield from _waiting()
