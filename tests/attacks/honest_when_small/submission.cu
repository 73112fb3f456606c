// expect: wrong_answer unwritten_output
// problem: map
// needs: gpu
// row: 4, 13
//
// Sizes beyond a million are timed, not checked, it hopes, and are left undone. The emulator has no such sizes.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && N < 1000000) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
