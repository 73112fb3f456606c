// The thread that counts itself in last adds up what all threads of its block have written.
// launch: 2 96
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float values[96];
    __shared__ unsigned int here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    if (atomicAdd(&here, 1) < blockDim.x - 1) return;
    __threadfence_block();
    float sum = 0;
    for (int i = 0; i < blockDim.x; i++) sum += values[i];
    out[blockIdx.x] = sum;
}
