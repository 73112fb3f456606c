// expect: accepted
//
// Matrix multiplication, another road from step 2: fp32 accuracy out of TF32 numbers ("3xTF32").
//
// Tensor cores multiply TF32 numbers, which keep 11 of fp32's 24 significant bits: too few for this problem. But a
// float is the sum of two TF32 numbers, a big one and what is left. Then
//
//     a * b = big_a * big_b + big_a * small_b + small_a * big_b + (small_a * small_b, below 2^-22: dropped)
//
// Three TF32 products give the accuracy of one fp32 product. This file does the arithmetic with ordinary
// instructions, to show that the answer is accurate enough; on tensor cores the same three products run several
// times faster than fp32.

#define TILE 16

// Rounds to the 11 significant bits of TF32: adds half of the last bit kept, then clears the 13 bits below.
__device__ float to_tf32(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

struct Split {
    float big;
    float small;
};

__device__ Split split(float value) {
    const float big = to_tf32(value);
    return {big, to_tf32(value - big)};
}

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ Split tile_A[TILE][TILE];
    __shared__ Split tile_B[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;
    float correction = 0.0f;

    for (int start = 0; start < N; start += TILE) {
        // Split once when loading, not once for each of the TILE uses.
        tile_A[y][x] = split(row < M && start + x < N ? A[row * N + start + x] : 0.0f);
        tile_B[y][x] = split(start + y < N && column < K ? B[(start + y) * K + column] : 0.0f);
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            const Split a = tile_A[y][k];
            const Split b = tile_B[k][x];
            correction += a.big * b.small + a.small * b.big;
            sum += a.big * b.big;
        }
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum + correction;
    }
}
