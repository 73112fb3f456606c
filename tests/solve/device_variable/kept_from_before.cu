// problem: reduce
// expect: wrong_answer wrong_value
// sizes: N=100 N=1000
//
// The variable is not set to zero, and keeps what the call before left there.
__device__ float total;

__global__ void sum(const float* input, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(&total, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    sum<<<(N + 127) / 128, 128>>>(input, N);
    cudaMemcpyFromSymbol(output, total, sizeof(float), 0, cudaMemcpyDeviceToDevice);
}
