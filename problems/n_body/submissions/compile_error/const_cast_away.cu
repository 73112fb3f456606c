// expect: compile_error
//
// N bodies whose cast drops the const.
//
// bodies may only be read, and so may what a cast makes of it: const float4*.

#define BLOCK 256

__global__ void n_body_kernel(const float* bodies, float* acceleration, float softening, int N) {
    __shared__ float4 tile[BLOCK];
    float4* all = reinterpret_cast<float4*>(bodies);  // <- here
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
