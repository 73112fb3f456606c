// expect: compile_error
// problem: map
// row: 8
//
// Hands the work to a grid that runs on after the launch that is timed has ended.

__global__ void later(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) later<<<(N + 255) / 256, 256, 0, cudaStreamFireAndForget>>>(input, output, N);
}
