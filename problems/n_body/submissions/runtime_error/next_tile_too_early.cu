// expect: runtime_error data_race
//
// N bodies without a barrier behind the loop.
//
// A fast warp loads the next tile while a slow one still goes through this one.

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
    }
    if (i < N) {
        acceleration[3 * i] = x;
        acceleration[3 * i + 1] = y;
        acceleration[3 * i + 2] = z;
    }
}
