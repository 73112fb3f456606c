// expect: wrong_answer | runtime_error
// problem: map
// row: emulator
//
// Writes its own constant memory through a cast.

__constant__ float limits[4] = {1.0f, 1.0f, 1.0f, 1.0f};

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* writable = (float*)limits;
    writable[i & 3] = 2.0f;
    __syncthreads();
    if (i < N) output[i] = limits[(i + 1) & 3] * input[i];
}
