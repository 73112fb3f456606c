// expect: accepted
//
// N bodies, step 2: a tile of bodies in shared memory.
//
// Added to step 1: each thread fetches one body as a float4, and then all go through the block's bodies, one read of 16
// bytes a pair. Behind the last body the tile has masses of 0, which pull nobody: the inner loop needs no check.

#define BLOCK 256

__global__ void n_body_kernel(const float* bodies, float* acceleration, float softening, int N) {
    __shared__ float4 tile[BLOCK];
    const float4* all = reinterpret_cast<const float4*>(bodies);
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 own = all[min(i, N - 1)];
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    for (int first = 0; first < N; first += BLOCK) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < N ? all[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            float4 other = tile[k];
            float dx = other.x - own.x;
            float dy = other.y - own.y;
            float dz = other.z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening * softening);
            float weight = other.w * inverse * inverse * inverse;
            x += dx * weight;
            y += dy * weight;
            z += dz * weight;
        }
        // The next tile must not overwrite this one before all threads are through.
        __syncthreads();
    }
    if (i < N) {
        acceleration[3 * i] = x;
        acceleration[3 * i + 1] = y;
        acceleration[3 * i + 2] = z;
    }
}
