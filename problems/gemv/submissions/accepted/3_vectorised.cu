// expect: accepted
//
// Matrix times vector, step 3: four floats a load.
//
// Added to step 2: where N is a multiple of four every row begins at a multiple of 16 bytes, and a lane reads A and x
// by float4, into four sums that do not wait for each other. Elsewhere single loads take the same way; the branch is
// the same for all threads and costs nothing.

#define BLOCK 128

__device__ float warp_sum(float value) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}

__global__ void __launch_bounds__(BLOCK)
    gemv_kernel(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int N) {
    const int row = (blockIdx.x * BLOCK + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= M) {
        return;
    }
    const float* a = A + row * N;

    float sum = 0.0f;
    if (N % 4 == 0) {
        const float4* a4 = reinterpret_cast<const float4*>(a);
        const float4* x4 = reinterpret_cast<const float4*>(x);
        float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
        for (int j = lane; j < N / 4; j += 32) {
            const float4 u = a4[j];
            const float4 v = x4[j];
            sums.x = fmaf(u.x, v.x, sums.x);
            sums.y = fmaf(u.y, v.y, sums.y);
            sums.z = fmaf(u.z, v.z, sums.z);
            sums.w = fmaf(u.w, v.w, sums.w);
        }
        sum = (sums.x + sums.y) + (sums.z + sums.w);
    } else {
#pragma unroll 4
        for (int j = lane; j < N; j += 32) {
            sum = fmaf(a[j], x[j], sum);
        }
    }

    sum = warp_sum(sum);
    if (lane == 0) {
        y[row] = sum;
    }
}
