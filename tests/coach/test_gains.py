"""Advice with a gain: what is advised for a kernel makes it about as quick as the kernel that follows the advice is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.coach.gains import LEAST_GAIN
from grader.coach.modelled import Modelled
from grader.coach.products import warp_groups
from grader.coach.waiting import barriers
from grader.coach.whole_grid import block_order
from grader.model.gpus import gpu_named

from .modelled import Sketch, advice, seconds, timed

HEAD = "GLOBAL void k(const float* x, const float* z, float* y) {\n"
LINES = "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"


def kernel(body, grid, block=(256, 1, 1), **more):
    grid = grid if isinstance(grid, tuple) else (grid, 1, 1)
    return Sketch(f"{HEAD}{LINES}{body}\n}}\n", grid, block, **more)


MATRIX = 1024
TILED = kernel(
    """
  __shared__ float a[16][16], b[16][16];
  int u = threadIdx.y, row = blockIdx.y * 16 + u, column = blockIdx.x * 16 + t;
  float sum = 0;
  for (int k = 0; k < 1024; k += 16) {
    a[u][t] = x[row * 1024 + k + t];
    b[u][t] = z[(k + u) * 1024 + column];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += a[u][j] * b[j][t];
    __syncthreads();
  }
  y[row * 1024 + column] = sum;""",
    (64, 64, 1),
    (16, 16, 1),
)
IN_REGISTERS = kernel(
    """
  __shared__ float a[16][68];
  __shared__ __align__(16) float b[16][64];
  int u = threadIdx.y, rank = u * 16 + t;
  float sum[4][4] = {};
  for (int k = 0; k < 1024; k += 16) {
    float4 four = *(const float4*)&x[(blockIdx.y * 64 + rank / 4) * 1024 + k + rank % 4 * 4];
    a[rank % 4 * 4][rank / 4] = four.x; a[rank % 4 * 4 + 1][rank / 4] = four.y;
    a[rank % 4 * 4 + 2][rank / 4] = four.z; a[rank % 4 * 4 + 3][rank / 4] = four.w;
    *(float4*)&b[u][t * 4] = *(const float4*)&z[(k + u) * 1024 + blockIdx.x * 64 + t * 4];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      float4 l = *(float4*)&a[j][u * 4], r = *(float4*)&b[j][t * 4];
      float p[4] = {l.x, l.y, l.z, l.w}, q[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
      for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < 4; ++n) sum[m][n] += p[m] * q[n];
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 4; ++m)
    *(float4*)&y[(blockIdx.y * 64 + u * 4 + m) * 1024 + blockIdx.x * 64 + t * 4] =
        make_float4(sum[m][0], sum[m][1], sum[m][2], sum[m][3]);""",
    (16, 16, 1),
    (16, 16, 1),
    registers=64,
)
TRANSPOSED = """
  __shared__ float tile[32][PITCH];
  int u = threadIdx.y;
  tile[u][t] = x[(blockIdx.y * 32 + u) * 2048 + blockIdx.x * 32 + t];
  __syncthreads();
  y[(blockIdx.x * 32 + u) * 2048 + blockIdx.y * 32 + t] = tile[t][u];"""
COLUMNS = """
  float sum = 0;
  for (int j = 0; j < 64; ++j) sum += x[PLACE];
  y[i] = sum;"""
AGAIN = """
  float s = 0;
  for (int n = 0; n < 64; ++n) {
    int at = (i + n * 64) % 2048;
    LOADS
  }
  y[i] = s;"""
FOUR = AGAIN.replace("LOADS", "s += x[4 * at] + x[4 * at + 1] + x[4 * at + 2] + x[4 * at + 3];")
ONE_LOAD = AGAIN.replace("LOADS", "float4 v = ((const float4*)x)[at]; s += v.x + v.y + v.z + v.w;")
UPDATES = "  atomicAdd(&y[blockIdx.x % 64], x[i]);"
SUMS_FIRST = """
  float s = x[i];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (t % 32 == 0) atomicAdd(&y[blockIdx.x % 64], s);"""
TREE = """
  __shared__ float s[256];
  float v = x[i];
  for (int round = 0; round < 8; ++round) {
    s[t] = v;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
    v = s[0] + round;
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = v;"""
BY_SHUFFLES = """
  __shared__ float s[8];
  float v = x[i];
  for (int round = 0; round < 8; ++round) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    v = round;
    for (int d = 0; d < 8; ++d) v += s[d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = v;"""
SLAB = """
  __shared__ float s[256];
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    s[t] = x[(blockIdx.x * 64 + k) * 256 % (1 << 22) + t];
    __syncthreads();
    for (int j = 0; j < 32; ++j) sum = sum * 0.5f + s[(t + j) % 256];
    __syncthreads();
  }
  y[i] = sum;"""
SLAB_AHEAD = """
  __shared__ float s[2][256];
  float sum = 0, next = x[blockIdx.x * 64 * 256 % (1 << 22) + t];
  for (int k = 0; k < 64; ++k) {
    s[k % 2][t] = next;
    __syncthreads();
    if (k < 63) next = x[(blockIdx.x * 64 + k + 1) * 256 % (1 << 22) + t];
    for (int j = 0; j < 32; ++j) sum = sum * 0.5f + s[k % 2][(t + j) % 256];
  }
  y[i] = sum;"""
COPY = """
  auto copy = [&](int k, float* to) {
    unsigned place = __cvta_generic_to_shared(to + t);
    const float* from = &x[(blockIdx.x * 64 + k) * 256 % (1 << 22) + t];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(place), "l"(from) : "memory");
  };"""
COPIED = f"""{COPY}
  __shared__ float s[256];
  float sum = 0;
  for (int k = 0; k < 64; ++k) {{
    copy(k, s);
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int j = 0; j < 32; ++j) sum = sum * 0.5f + s[(t + j) % 256];
    __syncthreads();
  }}
  y[i] = sum;"""
COPIED_AHEAD = f"""{COPY}
  __shared__ float s[4][256];
  float sum = 0;
  for (int k = 0; k < 3; ++k) {{
    copy(k, s[k]);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }}
  for (int k = 0; k < 64; ++k) {{
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    __syncthreads();
    if (k < 61) copy(k + 3, s[(k + 3) % 4]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int j = 0; j < 32; ++j) sum = sum * 0.5f + s[k % 4][(t + j) % 256];
  }}
  y[i] = sum;"""
STRIDE = """
  float sum = 0;
#pragma unroll PART
  for (int j = i; j < 1 << 22; j += BLOCKS * 256) sum += x[j];
  y[i] = sum;"""
WINDOW = """
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += x[blockIdx.x * 256 + (t * 9 + j) % 256] * sum;
  y[i] = sum;"""
SHARED_WINDOW = """
  __shared__ float s[256];
  s[t] = x[i];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += s[(t * 9 + j) % 256] * sum;
  y[i] = sum;"""
BRANCH = """
  float s = x[i];
  if (CONDITION)
    for (int j = 0; j < 400; ++j) s = s * s + 0.5f;
  else
    for (int j = 0; j < 400; ++j) s = s + s * 0.25f;
  y[i] = s;"""
ROWS = """
  __shared__ __align__(16) float s[32][PITCH];
  for (int j = t; j < 32 * PITCH; j += 256) (&s[0][0])[j] = x[j];
  __syncthreads();
  float p = 0, q = 0;
  for (int n = 0; n < 64; ++n) LOADS
  y[i] = p + q;"""
SINGLE = """{
    const float* r = s[(t / 8 + n) % 32];
    p += r[4] * r[5]; q += r[6] * r[7]; p += r[8] * r[9]; q += r[10] * r[11]; }"""
VECTORS = """{
    const float4 *r = (const float4*)s[(t / 8 + n) % 32], a = r[1], b = r[2];
    p += a.x * a.y; q += a.z * a.w; p += b.x * b.y; q += b.z * b.w; }"""
SCAN = """
  __shared__ float s[256];
  s[t] = x[i];
  __syncthreads();
  for (int n = 0; n < 16; ++n)
    for (int d = 1; d < 256; d *= 2) {
      float v = s[t] + (t >= d ? s[t - d] : 0);
      __syncthreads();
      s[t] = v;
      __syncthreads();
    }
  y[i] = s[t];"""
SCAN_BY_TURNS = """
  __shared__ float s[2][256];
  int at = 0;
  s[0][t] = x[i];
  __syncthreads();
  for (int n = 0; n < 16; ++n)
    for (int d = 1; d < 256; d *= 2) {
      s[1 - at][t] = s[at][t] + (t >= d ? s[at][t - d] : 0);
      at = 1 - at;
      __syncthreads();
    }
  y[i] = s[at][t];"""


def named(body, **words):
    for word, text in words.items():
        body = body.replace(word, str(text))
    return body


def bounded(sketch, blocks):
    """The kernel that asks for so few registers that as many blocks fit on an SM."""
    threads = sketch.block[0]
    return replace(sketch, source=sketch.source.replace(" k(", f" __launch_bounds__({threads}, {blocks}) k("))


PAIRS = {
    "register_blocking": (TILED, IN_REGISTERS),
    "bank_conflict": tuple(kernel(named(TRANSPOSED, PITCH=n), (64, 64, 1), (32, 32, 1)) for n in (32, 33)),
    "uncoalesced": tuple(
        kernel(named(COLUMNS, PLACE=place), 256) for place in ("i * 64 + j", "blockIdx.x * 16384 + j * 256 + t")
    ),
    "wide_access": tuple(kernel(body, 4096) for body in (FOUR, ONE_LOAD)),
    "contention": tuple(kernel(body, 16384) for body in (UPDATES, SUMS_FIRST)),
    "shuffles": tuple(kernel(body, 16384) for body in (TREE, BY_SHUFFLES)),
    "double_buffering": tuple(kernel(body, 264) for body in (SLAB, SLAB_AHEAD)),
    "loads_ahead": tuple(kernel(named(STRIDE, PART=n, BLOCKS=132), 132) for n in (1, 16)),
    "small_grid": tuple(kernel(named(STRIDE, PART=4, BLOCKS=n), n) for n in (16, 132)),
    "reuse": tuple(kernel(body, 4096) for body in (WINDOW, SHARED_WINDOW)),
    "divergence": tuple(kernel(named(BRANCH, CONDITION=c), 16384) for c in ("t % 2", "t / 32 % 2")),
    "vector_shared": (
        kernel(named(ROWS, PITCH=33, LOADS=SINGLE), 4096),
        kernel(named(ROWS, PITCH=36, LOADS=VECTORS), 4096),
    ),
    "occupancy": tuple(
        kernel(named(STRIDE, PART=1, BLOCKS=1056), 1056, shared_bytes=shared) for shared in (100_000, 0)
    ),
    "cp_async": tuple(kernel(body, 264) for body in (COPIED, COPIED_AHEAD)),
    "launch_bounds": (
        kernel(named(STRIDE, PART=1, BLOCKS=1056), 1056, registers=80),
        bounded(kernel(named(STRIDE, PART=1, BLOCKS=1056), 1056, registers=64), blocks=4),
    ),
    "tail": tuple(kernel(named(BRANCH, CONDITION="z[0]"), 132 * 8 * 2 + more) for more in (66, 0)),
}
"""By kind of advice: a kernel to which it is given, and one that follows it."""

KINDS = {"cp_async": "double_buffering", "launch_bounds": "occupancy"}
"""Of pairs that are named by what they do: asynchronous copies, and fewer registers by __launch_bounds__."""

# How far the tried change may be from the pair's own time; the pairs differ in more than what is advised. Occupancy is
# raised by one block at a time.
FACTOR = {"loads_ahead": 1.7, "double_buffering": 1.5, "cp_async": 1.5, "occupancy": 3.2}


@pytest.mark.parametrize("pair", PAIRS)
def test_advice_gains_about_what_the_pair_differs_by(pair):
    (slow, quick), kind = PAIRS[pair], KINDS.get(pair, pair)
    (one,) = (one for one in advice(slow) if one.kind == kind)
    assert kind not in {other.kind for other in advice(quick)}
    assert one.tried is not None and one.tried.gpu == "H200"
    assert one.tried.before == seconds(slow) and one.tried.saved >= LEAST_GAIN
    assert one.word and one.message and one.remedy
    assert seconds(quick) < seconds(slow)
    factor = FACTOR.get(pair, 1.35)
    assert seconds(quick) / factor < one.tried.after < seconds(quick) * factor


@pytest.mark.parametrize("pair", PAIRS)
def test_the_most_effective_comes_first(pair):
    for sketch in PAIRS[pair]:
        after = [one.tried.after for one in advice(sketch) if one.tried is not None]
        assert after == sorted(after) and len(after) == len(advice(sketch))


def test_registers_that_keep_blocks_off_an_sm_are_told_with_what_asks_for_fewer():
    slow, _ = PAIRS["launch_bounds"]
    (one,) = (one for one in advice(slow) if one.kind == "occupancy")
    assert "limited by registers (80 registers a thread" in one.message
    assert "__launch_bounds__(256, 4)" in one.remedy


def test_copies_that_are_waited_for_at_once_are_told_of_cp_async():
    slow, _ = PAIRS["cp_async"]
    (one,) = (one for one in advice(slow) if one.kind == "double_buffering")
    assert "begun to copy" in one.message and "cp.async.wait_group" in one.remedy


def test_a_plain_tile_is_told_to_compute_several_results_in_registers():
    one = advice(TILED)[0]
    assert one.kind == "register_blocking" and "2 numbers loaded from shared memory" in one.message
    assert "4 × 4 results in registers: 8 loads serve 16 multiplications" in one.remedy
    assert one.tried is not None and one.tried.saved > 0.7


HALVES = kernel(
    """
  const half *a = (const half*)x, *b = (const half*)z;
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + t;
  float sum = 0;
  for (int k = 0; k < 1024; ++k) sum += __half2float(a[row * 1024 + k]) * __half2float(b[k * 1024 + column]);
  y[row * 1024 + column] = sum;""",
    (64, 64, 1),
    (16, 16, 1),
)
FRAGMENTS = kernel(
    """
  using namespace nvcuda::wmma;
  const half *a = (const half*)x, *b = (const half*)z;
  int warp = t / 32, row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  fragment<matrix_a, 16, 16, 16, half, row_major> l;
  fragment<matrix_b, 16, 16, 16, half, row_major> r;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < 1024; k += 16) {
    load_matrix_sync(l, a + row * 1024 + k, 1024);
    load_matrix_sync(r, b + k * 1024 + column, 1024);
    mma_sync(sum, l, r, sum);
  }
  store_matrix_sync(y + row * 1024 + column, sum, 1024, mem_row_major);""",
    (32, 32, 1),
    (128, 1, 1),
)


def test_halves_go_to_tensor_cores_where_a_gpu_has_them():
    (one,) = (one for one in advice(HALVES) if one.kind == "tensor_cores")
    assert "half precision" in one.message and one.tried is not None
    assert one.tried.after < seconds(FRAGMENTS) < seconds(HALVES)
    assert "tensor_cores" not in {other.kind for other in advice(FRAGMENTS)}
    # Single precision has no tensor cores that are exact.
    assert "tensor_cores" not in {other.kind for other in advice(TILED)}


def checked(check, sketch, gpu="H200"):
    """What one check of sampled launches finds, whatever it gains."""
    (launch,) = timed(sketch, gpu)
    return list(check(Modelled(launch.prepared, launch.time, gpu_named(gpu))))


def test_wgmma_is_hoppers_alone():
    (one,) = checked(warp_groups, FRAGMENTS)
    assert "wgmma" in one.remedy and one.line == 16
    assert checked(warp_groups, FRAGMENTS, "A100") == []


PASSED = """
GLOBAL void first(const float* x, const float* z, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * 2 + 1;
}
GLOBAL void second(const float* x, const float* z, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[OTHER] = y[OTHER] * y[OTHER];
}
"""


def test_kernels_that_pass_an_array_on_are_told_to_be_one():
    pair = Sketch(PASSED.replace("OTHER", "i"), (16384, 1, 1), names=("first", "second"))
    (one,) = (one for one in advice(pair) if one.kind == "fusion")
    assert "first writes y to memory, and the same block of second reads it" in one.message
    alone = kernel("  float v = x[i] * 2 + 1;\n  y[i] = v * v;", 16384)
    assert one.tried is not None and seconds(alone) < one.tried.after < seconds(pair)
    # What other blocks wrote has to wait for all of them.
    apart = PASSED.replace("OTHER", "(1 << 22) - 1 - i")
    assert "fusion" not in {o.kind for o in advice(Sketch(apart, (16384, 1, 1), names=("first", "second")))}


def test_a_barrier_that_a_second_buffer_saves():
    slow, quick = (kernel(body, 1024) for body in (SCAN, SCAN_BY_TURNS))
    (one,) = checked(barriers, slow)
    assert "a warp waits 128 times at a barrier until others have read" in one.message
    assert checked(barriers, quick) == []


SLABS = """
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += x[SLAB * 65536 + j * 256 + t];
  if (sum == 1) y[0] = sum;"""


def test_blocks_that_follow_each_other_should_share_what_l2_holds():
    """A T4's L2 has a quarter of the 16 MiB that 64 blocks with slabs of their own read before the next 64 do again."""
    slow, quick = (kernel(named(SLABS, SLAB=f"blockIdx.{axis}"), (64, 64, 1)) for axis in "xy")
    (one,) = checked(block_order, slow, "T4")
    assert "times the bytes that would do come from DRAM" in one.message and "swizzle" in one.remedy
    assert checked(block_order, quick, "T4") == []
    (before,), (after,) = timed(slow, "T4"), timed(quick, "T4")
    assert after.time.seconds < before.time.seconds


COUNTS = """
  for (int j = i; j < 1 << 21; j += 1 << 16) UPDATE"""
IN_MEMORY = COUNTS.replace("UPDATE", "atomicAdd(&y[j * 37 % 256], x[j]);")
IN_SHARED = f"""
  __shared__ float own[256];
  own[t] = 0;
  __syncthreads();
  {COUNTS.replace("UPDATE", "atomicAdd(&own[j * 37 % 256], x[j]);")}
  __syncthreads();
  atomicAdd(&y[t], own[t]);"""


def test_blocks_should_have_counters_of_their_own():
    slow, quick = (kernel(body, 256, length=256) for body in (IN_MEMORY, IN_SHARED))
    (one,) = (one for one in advice(slow) if one.kind == "privatisation")
    assert "a y of its own in shared memory" in one.remedy
    assert one.tried is not None and seconds(quick) / 2 < one.tried.after < seconds(slow)
    assert "privatisation" not in {other.kind for other in advice(quick)}
    # A larger one has no room there.
    assert "privatisation" not in {other.kind for other in advice(kernel(IN_MEMORY, 256))}


def test_nothing_is_said_where_nothing_gains():
    copy = kernel("  ((float4*)y)[i] = ((const float4*)x)[i];", 4096)
    assert advice(copy) == []
