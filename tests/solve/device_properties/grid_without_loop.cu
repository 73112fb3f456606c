// problem: map
// expect: wrong_answer unwritten_output
// sizes: N=1000000
//
// One block for each multiprocessor, and a kernel that computes one element a thread.

__global__ void sigmoid(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    sigmoid<<<properties.multiProcessorCount, 1024>>>(input, output, N);
}
