// problem: reduce
// expect: accepted
// sizes: N=1 N=1000
//
// cudaMemset of the output before atomics, in a stream, and of scratch by rows.

__global__ void sum(const float* input, float* parts, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(&parts[(i % 4) * 128], input[i]);
}

__global__ void sum_of_parts(const float* parts, float* output) { atomicAdd(output, parts[threadIdx.x * 128]); }

extern "C" void solve(const float* input, float* output, int N) {
    float* parts;
    cudaMalloc(&parts, 4 * 512);
    cudaMemset2D(parts, 512, 0, sizeof(float), 4);
    cudaMemsetAsync(output, 0, sizeof(float), 0);
    sum<<<(N + 127) / 128, 128>>>(input, parts, N);
    sum_of_parts<<<1, 4>>>(parts, output);
    cudaFree(parts);
}
