// expect: accepted
//
// N bodies, step 3: eight lanes for each body, unrolled.
//
// Added to step 2: eight times as many blocks, so that ten thousand bodies fill the GPU, and eight partial sums a body,
// which shuffles add up at the end. A warp reads eight neighbouring bodies of the tile at once, which is all banks
// once. The tile goes through 64 bodies a lane, unrolled by eight, so that inverse roots of several pairs are under
// way.

#define BLOCK 256
#define LANES 8
#define TILE 512

__global__ void __launch_bounds__(BLOCK)
    n_body_kernel(const float* __restrict__ bodies, float* __restrict__ acceleration, float softening, int N) {
    __shared__ float4 tile[TILE];
    const float4* all = reinterpret_cast<const float4*>(bodies);
    const int i = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    const float4 own = all[min(i, N - 1)];
    const float squared = softening * softening;
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    for (int first = 0; first < N; first += TILE) {
#pragma unroll
        for (int k = threadIdx.x; k < TILE; k += BLOCK) {
            const int j = first + k;
            tile[k] = j < N ? all[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        __syncthreads();
        const int length = min(TILE, (N - first + LANES - 1) / LANES * LANES);
#pragma unroll 8
        for (int k = lane; k < length; k += LANES) {
            const float4 other = tile[k];
            const float dx = other.x - own.x;
            const float dy = other.y - own.y;
            const float dz = other.z - own.z;
            const float inverse = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, squared))));
            const float weight = other.w * inverse * (inverse * inverse);
            x = fmaf(dx, weight, x);
            y = fmaf(dy, weight, y);
            z = fmaf(dz, weight, z);
        }
        __syncthreads();
    }
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, distance);
        y += __shfl_xor_sync(0xffffffff, y, distance);
        z += __shfl_xor_sync(0xffffffff, z, distance);
    }
    // Three lanes store a part each.
    if (i < N && lane < 3) {
        acceleration[3 * i + lane] = lane == 0 ? x : lane == 1 ? y : z;
    }
}
