# expect: accepted
#
# Attention with a warp for each row of Q and one pass over the keys: the softmax is corrected as larger scores come.
#
# Each lane has every 32nd column of the row, in registers: four at most, for D is at most 128. A score is the sum over
# the warp. Columns beyond D are zeros.

import cutlass
import cutlass.cute as cute

WARPS = 4
COLUMNS = 4


@cute.kernel
def attend(
    Q: cute.Tensor,
    K: cute.Tensor,
    V: cute.Tensor,
    output: cute.Tensor,
    N: cute.Int32,
    D: cute.Int32,
    causal: cute.Int32,
):
    lane, warp, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    row = block * WARPS + warp
    if row < N:
        query = cute.make_rmem_tensor(COLUMNS, cutlass.Float32)
        result = cute.make_rmem_tensor(COLUMNS, cutlass.Float32)
        for c in cutlass.range_constexpr(COLUMNS):
            query[c] = cutlass.Float32(0.0)
            result[c] = cutlass.Float32(0.0)
            if lane + 32 * c < D:
                query[c] = Q[row, lane + 32 * c]

        root = cute.math.sqrt(cutlass.Float32(D))
        most = cutlass.Float32(float("-inf"))
        total = cutlass.Float32(0.0)
        keys = N
        if causal != 0:
            keys = row + 1
        for key in range(keys):
            score = cutlass.Float32(0.0)
            for c in cutlass.range_constexpr(COLUMNS):
                if lane + 32 * c < D:
                    score += query[c] * K[key, lane + 32 * c]
            score = cute.arch.warp_reduction_sum(score) / root

            larger = cute.arch.fmax(most, score)
            kept = cute.math.exp(most - larger)
            weight = cute.math.exp(score - larger)
            total = total * kept + weight
            for c in cutlass.range_constexpr(COLUMNS):
                if lane + 32 * c < D:
                    result[c] = result[c] * kept + weight * V[key, lane + 32 * c]
            most = larger

        for c in cutlass.range_constexpr(COLUMNS):
            if lane + 32 * c < D:
                output[row, lane + 32 * c] = result[c] / total


@cute.jit
def solve(
    Q: cute.Tensor,
    K: cute.Tensor,
    V: cute.Tensor,
    output: cute.Tensor,
    N: cute.Int32,
    D: cute.Int32,
    causal: cute.Int32,
):
    attend(Q, K, V, output, N, D, causal).launch(grid=(cute.ceil_div(N, WARPS), 1, 1), block=(32, WARPS, 1))
