"""The kernels of `calibrate_model.py` whose lanes touch places apart: at random, words of sectors, constants, updates.

Each place is computed with few instructions, so that memory is what such a kernel waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

from model_kernels import Kernel

CONSTANTS = 16384
"""Words of constant memory, all that a kernel can have."""
TOGETHER = (1, 2, 4)
"""How many lanes read neighbouring sectors of one place at random."""
FAR = 28
"""The power of two of the words that are copied or written once: 1 GiB."""
LOADS = 8
"""Loads of an iteration from places at random."""
UPDATES = 16
"""Updates of an iteration."""


def _kernel(name: str, body: str, opcode: str, count: int) -> Kernel:
    text = f'\nextern "C" __global__ void __launch_bounds__(1024) {name}(PARAMETERS) {{{body}}}\n'
    return Kernel(name, text, opcode, count)


_MIXED = """
    // A generator for each thread, or for each group of lanes: its upper bits are the place.
    u32 global_thread = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x = (global_thread / GROUP + 1) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
"""


def _gathers() -> Iterator[Kernel]:
    for together in TOGETHER:
        step = (
            "x = x * 1664525u + 1013904223u; "
            f'asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + (size_t)(x >> shift) * {8 * together}'
            f' + threadIdx.x % {together} * 8) : "memory"); sum ^= v;\n        '
        )
        yield _kernel(
            f"gather_{together}",
            _MIXED.replace("GROUP", str(together))
            + f"""
    // Of 2 to the power of `extra` places.
    u32 shift = 32 - extra, v, sum = 0;
    BEGIN
    LOOP {{
        {step * LOADS}
    }}
    END
    if (sum == 0x12345) sink[0] = sum;
""",
            "LDG",
            LOADS,
        )
    step = 'asm volatile("ld.global.ca.u32 %0, [%1 + {}];" : "=r"(v) : "l"(at) : "memory"); sum ^= v;'
    yield _kernel(
        "l1_random",
        _MIXED.replace("GROUP", "1")
        + f"""
    // Of `extra` words, and as far behind each other in 16 KiB.
    u32 v, sum = 0;
    BEGIN
    LOOP {{
        x = x * 1664525u + 1013904223u;
        const u32 *at = data + __umulhi(x, extra);
        {"".join(step.format(512 * i) for i in range(32))}
    }}
    END
    if (sum == 0x12345) sink[0] = sum;
""",
        "LDG",
        32,
    )


def _streams() -> Iterator[Kernel]:
    step = 'asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(data + {}), "r"(i) : "memory");'
    for name, limit in (("far", f"{1 << FAR}u"), ("near", f"{4 << 20}u")):
        yield _kernel(
            f"store_apart_{name}",
            f"""
    // A word for each thread, `extra` words apart, over {limit} words.
    size_t step = (size_t)gridDim.x * blockDim.x * extra;
    size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * extra;
    BEGIN
    LOOP {{
        _Pragma("unroll 1") for (size_t k = first; k < {limit}; k += step)
            {step.format("k")}
    }}
    END
""",
            "STG.E.STRONG",
            1,
        )
    yield _kernel(
        "store_shifted",
        f"""
    // All words in a row, by warps that begin `extra` words behind a line's beginning.
    size_t step = (size_t)gridDim.x * blockDim.x;
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x + extra;
    BEGIN
    LOOP {{
        _Pragma("unroll 1") for (size_t k = first; k < {1 << FAR}u; k += step)
            {step.format("k")}
    }}
    END
""",
        "STG.E.STRONG",
        1,
    )
    yield _kernel(
        "store_columns",
        f"""
    // A warp writes a column of 32 words of a table with `extra` words a row; the next one its neighbour.
    size_t step = (size_t)gridDim.x * blockDim.x / 32;
    size_t warp = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    BEGIN
    LOOP {{
        _Pragma("unroll 1") for (size_t k = warp; k < {1 << FAR}u / 32; k += step) {{
            size_t place = (k / extra * 32 + lane) * extra + k % extra;
            {step.format("place")}
        }}
    }}
    END
""",
        "STG.E.STRONG",
        1,
    )
    for loads in (1, 2):
        names = ("a", "b")[:loads]
        each = "".join(
            f'asm volatile("ld.global.cg.v4.u32 {{%0, %1, %2, %3}}, [%4];" : "=r"({n}[0]), "=r"({n}[1]), "=r"({n}[2]), '
            f'"=r"({n}[3]) : "l"(from + k + {number} * quarter) : "memory");\n            '
            for number, n in enumerate(names)
        )
        sums = ", ".join(f'"r"({" ^ ".join(f"{n}[{i}]" for n in names)})' for i in range(4))
        yield _kernel(
            f"copy_{loads}",
            f"""
    // Reads {loads} of its parts and writes another one.
    size_t quarter = {1 << FAR}u / 16, step = (size_t)gridDim.x * blockDim.x;
    const uint4 *from = (const uint4 *)data;
    u32 {", ".join(f"{n}[4]" for n in names)};
    BEGIN
    LOOP {{
        for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < quarter; k += step) {{
            {each}
            asm volatile("st.global.v4.u32 [%0], {{%1, %2, %3, %4}};" :: "l"((uint4 *)data + k + 2 * quarter),
                         {sums} : "memory");
        }}
    }}
    END
""",
            "STG.E.128",
            1,
        )


def _waiting_reads() -> Iterator[Kernel]:
    step = 'asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + at) : "memory"); '
    step += "at = (at + step + (v == 0x1234567)) & mask;\n        "
    yield _kernel(
        "waiting_reads",
        f"""
    // Each thread waits for its load before it begins the next one; all threads read 2 to the power of `extra` words.
    u32 mask = (1u << extra) - 1, step = gridDim.x * blockDim.x, v;
    // Each run begins elsewhere, or it would find in L2 what the one before has read.
    u32 from = (u32)(wall() >> 10) * 2654435761u & ~31u;
    u32 at = (blockIdx.x * blockDim.x + threadIdx.x + __shfl_sync(0xffffffff, from, 0)) & mask;
    BEGIN
    LOOP {{
        {step * LOADS}
    }}
    END
    sink[threadIdx.x] = at;
""",
        "LDG",
        LOADS,
    )


def _updates() -> Iterator[Kernel]:
    values = {"u32": '"r"(i)', "f32": '"f"(1.0f)'}
    for kind, value in values.items():
        step = f'asm volatile("red.global.add.{kind} [%0], %1;" :: "l"(at), {value} : "memory");'
        yield _kernel(
            f"updates_{kind}",
            f"""
    // One address for all if `extra` is 0, else one for each thread, so many words apart.
    u32 *at = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * extra;
    BEGIN
    LOOP {{
        {step * UPDATES}
    }}
    END
""",
            "RED",
            UPDATES,
        )
        yield _kernel(
            f"lone_updates_{kind}",
            f"""
    // One lane of each warp; one address for all if `extra` is 0, else one for each warp.
    u32 *at = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) / 32 * extra;
    BEGIN
    if (threadIdx.x % 32 == 0) LOOP {{
        {step * UPDATES}
    }}
    END
""",
            "RED",
            UPDATES,
        )
        step = (
            "x = x * 1664525u + 1013904223u; "
            f'asm volatile("red.global.add.{kind} [%0], %1;" :: "l"(data + (x >> shift)), {value} : "memory"); '
        )
        yield _kernel(
            f"random_updates_{kind}",
            _MIXED.replace("GROUP", "1")
            + f"""
    // Of 2 to the power of `extra` words.
    u32 shift = 32 - extra;
    BEGIN
    LOOP {{
        {step * UPDATES}
    }}
    END
""",
            "RED",
            UPDATES,
        )
    step = 'asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(at), "r"(v) : "memory");'
    yield _kernel(
        "returning_updates",
        f"""
    // An address for each thread, `extra` words apart; each update needs the result of the one before it.
    u32 v = 1, *at = data + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * extra;
    BEGIN
    LOOP {{
        {step * UPDATES}
    }}
    END
    sink[threadIdx.x] = v;
""",
        "ATOMG",
        UPDATES,
    )


def _constants() -> Iterator[Kernel]:
    step = 'asm volatile("ld.const.u32 %0, [%1 + {}];" : "=r"(v) : "l"(at) : "memory"); sum ^= v;\n        '
    yield Kernel(
        "constant_lanes",
        f"""
__constant__ u32 constants[{CONSTANTS}];

__device__ __forceinline__ u64 constant_address(const void *pointer) {{
    u64 address;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(address) : "l"(pointer));
    return address;
}}

extern "C" __global__ void __launch_bounds__(1024) constant_lanes(PARAMETERS) {{
    // `extra` different words among the lanes of a warp.
    u32 v, sum = 0;
    BEGIN
    LOOP {{
        u64 at = constant_address(constants + threadIdx.x % extra + i % 64);
        {"".join(step.format(4 * i) for i in range(32))}
    }}
    END
    if (sum == 0x12345) sink[0] = sum;
}}
""",
        "LDC",
        32,
    )
    yield _kernel(
        "constant_room",
        f"""
    // All lanes read `extra` words, one after another.
    u32 v, sum = 0;
    BEGIN
    LOOP {{
        for (u32 k = 0; k < extra; k += 32) {{
            u64 at = constant_address(constants + k);
            {"".join(step.format(4 * i) for i in range(32))}
        }}
    }}
    END
    if (sum == 0x12345) sink[0] = sum;
""",
        "LDC",
        32,
    )


def _launched() -> Iterator[Kernel]:
    yield _kernel(
        "touch",
        """
    // A word for each thread, whose loads the kernel ends with.
    u32 value, *at = data + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    if (value == 0x12345) sink[0] = value;
""",
        "LDG",
        1,
    )
    yield _kernel(
        "touch_and_write",
        """
    u32 value, *at = data + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    asm volatile("st.global.u32 [%0], %1;" :: "l"(at + (1 << 20)), "r"(value) : "memory");
""",
        "STG",
        1,
    )


def _leaving() -> Iterator[Kernel]:
    step = 'asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));'
    yield _kernel(
        "leavers",
        f"""
    // The first warp of each block works, the others leave at once. Its times are those of a block.
    if (threadIdx.x >= 32) return;
    float x = threadIdx.x, a = extra;
    u64 begin = now();
    LOOP {{
        {step * 64}
    }}
    u64 end = now();
    if (threadIdx.x == 0) {{
        u32 warp;
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
        times[4 * blockIdx.x] = begin;
        times[4 * blockIdx.x + 1] = end;
        times[4 * blockIdx.x + 2] = place();
        times[4 * blockIdx.x + 3] = warp;
    }}
    sink[threadIdx.x] = x;
""",
        "FFMA",
        64,
    )


def pattern_kernels() -> Iterator[Kernel]:
    """All of them."""
    yield from _gathers()
    yield from _streams()
    yield from _waiting_reads()
    yield from _updates()
    yield from _constants()
    yield from _launched()
    yield from _leaving()
