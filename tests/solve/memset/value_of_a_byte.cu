// problem: reduce
// expect: wrong_answer wrong_value
// sizes: N=1000
//
// cudaMemset sets bytes: 63 four times makes a float of 0.747.

__global__ void sum(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 63, sizeof(float));
    sum<<<(N + 127) / 128, 128>>>(input, output, N);
}
