// problem: reduce
// expect: runtime_error launch_failure
// sizes: N=1000
//
// The output has one element, and N are set.

__global__ void sum(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, N * sizeof(float));  // <- here
    sum<<<(N + 127) / 128, 128>>>(input, output, N);
}
