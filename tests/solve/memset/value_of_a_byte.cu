// problem: reduce
// expect: wrong_answer wrong_value
// sizes: N=1000
//
// cudaMemset sets bytes: 127 four times makes a float of 3.4e38.

__global__ void sum(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 127, sizeof(float));
    sum<<<(N + 127) / 128, 128>>>(input, output, N);
}
