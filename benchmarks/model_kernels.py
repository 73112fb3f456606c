"""The kernels by which `calibrate_model.py` measures a GPU: CUDA C++ text, and what their machine code has to be.

Each has the same parameters: where each warp writes its clock before and after, a place for results, data, the number
of iterations, and one more number. The difference of two runs with other iterations has no cost of starting and ending
in it. Instructions are inline PTX and volatile, so that none is dropped; the machine code is counted all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PROLOGUE = """
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned long long *Times;

__device__ __forceinline__ u64 now() {
    u64 time;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(time) :: "memory");
    return time;
}

__device__ __forceinline__ u64 wall() {
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time) :: "memory");
    return time;
}

__device__ __forceinline__ u32 place() {
    u32 number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

__device__ __forceinline__ u32 shared_address(const void *pointer) {
    return (u32)__cvta_generic_to_shared(pointer);
}

#define PARAMETERS Times times, u32 *sink, u32 *data, int n, int extra
#define BEGIN __syncthreads(); u64 begin = now();
#define END u64 end = now(); if (threadIdx.x % 32 == 0) { \\
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32; times[4 * warp] = begin; times[4 * warp + 1] = end; }
#define LOOP _Pragma("unroll 1") for (int i = 0; i < n; i++)
"""


@dataclass(frozen=True)
class Kernel:
    """One kernel, for blocks of at most so many `threads`.

    Each iteration of its loop has `count` machine instructions whose opcode starts with `opcode`.
    """

    name: str
    text: str
    opcode: str
    count: int
    shared: int = 0
    threads: int = 1024


@dataclass(frozen=True)
class Operation:
    """An instruction in inline PTX: `%0` is what it changes, of type `kind`; `%1` and `%2` are other operands."""

    name: str
    opcode: str
    kind: str
    ptx: str
    results: int
    """Results of a warp's instruction: threads, or multiply-adds of a tensor core."""


OPERATIONS = (
    Operation("ffma", "FFMA", "float", "fma.rn.f32 %0, %0, %1, %2;", 32),
    Operation("fadd", "FADD", "float", "add.rn.f32 %0, %0, %1;", 32),
    Operation("iadd3", "IADD3", "u32", "{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}", 32),
    Operation("lop3", "LOP3", "u32", "lop3.b32 %0, %0, %1, %2, 0x6a;", 32),
    Operation("shf", "SHF", "u32", "shf.l.wrap.b32 %0, %0, %1, %2;", 32),
    Operation("imad", "IMAD", "u32", "mad.lo.u32 %0, %0, %1, %2;", 32),
    Operation("dp4a", "IDP", "u32", "dp4a.u32.u32 %0, %0, %1, %2;", 32),
    Operation("mufu", "MUFU", "float", "ex2.approx.ftz.f32 %0, %0;", 32),
    Operation("f2i", "F2I", "float", "{.reg .s32 t; cvt.rni.s32.f32 t, %0; mov.b32 %0, t;}", 32),
    Operation("popc", "POPC", "u32", "popc.b32 %0, %0;", 32),
    Operation("hfma2", "HFMA2", "u32", "fma.rn.f16x2 %0, %0, %1, %2;", 32),
    Operation("dadd", "DADD", "double", "add.rn.f64 %0, %0, %1;", 32),
    Operation("dfma", "DFMA", "double", "fma.rn.f64 %0, %0, %1, %2;", 32),
    Operation("fmnmx", "FMNMX", "float", "max.f32 %0, %0, %1;", 32),
    Operation("fsel", "FSEL", "float", "{.reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %0, %2, p;}", 32),
    Operation("lea", "LEA", "u32", "{.reg .u32 t; shl.b32 t, %0, 2; add.u32 %0, t, %1;}", 32),
    Operation("prmt", "PRMT", "u32", "prmt.b32 %0, %0, %1, %2;", 32),
    Operation("imad_hi", "IMAD.HI", "u32", "mul.hi.u32 %0, %0, %1;", 32),
    Operation("i2f", "I2F", "float", "{.reg .u32 t; mov.b32 t, %0; cvt.rn.f32.u32 %0, t;}", 32),
    Operation("flo", "FLO", "u32", "bfind.u32 %0, %0;", 32),
    Operation("brev", "BREV", "u32", "brev.b32 %0, %0;", 32),
    Operation("pack", "F2FP", "u32", "{.reg .f32 t; mov.b32 t, %0; cvt.rn.f16x2.f32 %0, t, t;}", 32),
    Operation("unpack_e4m3", "F2FP", "u32", "{.reg .b16 l, h; mov.b32 {l, h}, %0; cvt.rn.f16x2.e4m3x2 %0, l;}", 32),
    Operation("redux", "REDUX", "u32", "redux.sync.add.u32 %0, %0, 0xffffffff;", 32),
    Operation("match", "MATCH", "u32", "match.any.sync.b32 %0, %0, 0xffffffff;", 32),
    Operation("ballot", "VOTE", "u32", "{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}", 32),
    Operation("shuffle", "SHFL", "u32", "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;", 32),
)
_LETTER = {"float": "f", "u32": "r", "double": "d"}

CHAINS = 8
"""Chains of independent instructions of a warp, where a rate is measured."""
LENGTH = 64
"""Instructions of an iteration."""


def _arithmetic(one: Operation, chains: int) -> Kernel:
    letter = _LETTER[one.kind]
    first = "\n    ".join(f"{one.kind} x{i} = threadIdx.x + {i};" for i in range(chains))
    inputs = f': "{letter}"(a), "{letter}"(b)'
    # A single chain: each instruction needs the one before it.
    body = "\n        ".join(f'asm volatile("{one.ptx}" : "+{letter}"(x{i % chains}) {inputs});' for i in range(LENGTH))
    last = " + ".join(f"(u32)x{i}" for i in range(chains))
    text = f"""
extern "C" __global__ void __launch_bounds__(1024) {one.name}_{chains}(PARAMETERS) {{
    {first}
    {one.kind} a = extra, b = data[0];
    BEGIN
    LOOP {{
        {body}
    }}
    END
    sink[threadIdx.x] = {last};
}}
"""
    return Kernel(f"{one.name}_{chains}", text, one.opcode, LENGTH)


@dataclass(frozen=True)
class Product:
    """A shape and type of `mma.sync`: 32-bit registers of a, b and of the sum. `work` is in multiply-adds."""

    name: str
    opcode: str
    ptx: str
    a: int
    b: int
    work: int
    letter: str = "f"
    sums: int = 4


PRODUCTS = (
    Product("mma_f16", "HMMA", "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 16 * 8 * 16),
    Product("mma_bf16", "HMMA", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 16 * 8 * 16),
    Product("mma_tf32", "HMMA", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 16 * 8 * 8),
    Product("mma_s8", "IMMA", "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 16 * 8 * 32, "r"),
    Product("mma_f64", "DMMA", "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 8 * 8 * 4, "d", 2),
)
_C_TYPE = {"f": "float", "r": "u32", "d": "double"}


def _product(one: Product, chains: int) -> Kernel:
    kind, inputs = _C_TYPE[one.letter], "d" if one.letter == "d" else "r"
    sums = ", ".join(f"x{i}[{j}]" for i in range(chains) for j in range(1))
    names = [f"%{i}" for i in range(one.sums + one.a + one.b)]
    sum_, a, b = names[: one.sums], names[one.sums : one.sums + one.a], names[one.sums + one.a :]
    groups = ", ".join(f"{{{', '.join(group)}}}" for group in (sum_, a, b, sum_))
    ptx = f"mma.sync.aligned.{one.ptx} {groups};"
    operands = ", ".join([f'"{inputs}"(a[{i}])' for i in range(one.a)] + [f'"{inputs}"(b[{i}])' for i in range(one.b)])
    body = "\n        ".join(
        'asm volatile("'
        + ptx
        + '" : '
        + ", ".join(f'"+{one.letter}"(x{i % chains}[{j}])' for j in range(one.sums))
        + f" : {operands});"
        for i in range(LENGTH // 4)
    )
    first = "\n    ".join(f"{kind} x{i}[{one.sums}] = {{}};" for i in range(chains))
    operand = _C_TYPE[inputs]
    text = f"""
extern "C" __global__ void __launch_bounds__(1024) {one.name}_{chains}(PARAMETERS) {{
    {first}
    {operand} a[{one.a}], b[{one.b}];
    for (int i = 0; i < {one.a}; i++) a[i] = data[i];
    for (int i = 0; i < {one.b}; i++) b[i] = data[i + 8];
    BEGIN
    LOOP {{
        {body}
    }}
    END
    sink[threadIdx.x] = {" + ".join(f"(u32){name}" for name in sums.split(", "))};
}}
"""
    return Kernel(f"{one.name}_{chains}", text, one.opcode, LENGTH // 4)


WGMMA_COLUMNS = (64, 128, 256)
WGMMA_LENGTH = 8


def wgmma_work(columns: int) -> int:
    """Multiply-adds of one instruction of a warp group."""
    return 64 * columns * 16


def _wgmma(columns: int) -> Kernel:
    count = columns // 2
    registers = ", ".join(f"%{i}" for i in range(count))
    outputs = ", ".join(f'"+f"(x[{i}])' for i in range(count))
    ptx = (
        f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{registers}}}, %{count}, %{count + 1}, "
        "1, 1, 1, 0, 0;"
    )
    body = "\n        ".join(f'asm volatile("{ptx}" : {outputs} : "l"(a), "l"(b));' for _ in range(WGMMA_LENGTH))
    text = f"""
extern "C" __global__ void __launch_bounds__(256) wgmma_{columns}(PARAMETERS) {{
    extern __shared__ __align__(128) unsigned char tiles[];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) ((u32 *)tiles)[i] = data[i];
    // Descriptors without swizzling: address, leading and stride offsets in units of 16 bytes.
    u64 a = ((shared_address(tiles) & 0x3ffff) >> 4) | (8ull << 16) | (16ull << 32);
    u64 b = (((shared_address(tiles) + 2048) & 0x3ffff) >> 4) | (8ull << 16) | (16ull << 32);
    float x[{count}] = {{}};
    asm volatile("fence.proxy.async;" ::: "memory");
    BEGIN
    LOOP {{
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        {body}
        asm volatile("wgmma.commit_group.sync.aligned;\\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }}
    END
    float sum = 0;
    for (int i = 0; i < {count}; i++) sum += x[i];
    sink[threadIdx.x] = sum;
}}
"""
    return Kernel(f"wgmma_{columns}", text, "HGMMA", WGMMA_LENGTH, shared=16384, threads=256)


def arithmetic_kernels() -> Iterator[Kernel]:
    """Pipes: a chain for the latency, several chains for the rate."""
    for chains in (1, CHAINS):
        for operation in OPERATIONS:
            yield _arithmetic(operation, chains)
        for product in PRODUCTS:
            yield _product(product, min(chains, 4))
    for columns in WGMMA_COLUMNS:
        yield _wgmma(columns)


def source_of(kernels: Mapping[str, Kernel]) -> str:
    """One text of these kernels."""
    return PROLOGUE + "".join(kernel.text for kernel in kernels.values())
