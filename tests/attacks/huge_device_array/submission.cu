// expect: memory_limit_exceeded
// on gpu: runtime_error | memory_limit_exceeded | compile_error
// problem: map
// row: emulator
//
// Has a device array of 1 TB.

__device__ char huge[1ull << 40];

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    huge[i] = 1;
    if (i < N) output[i] = huge[0];
}
