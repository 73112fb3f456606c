// expect: runtime_error out_of_bounds
//
// Map that checks the end only where there is more than one block.
//
// The student took a single block for a full one.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (gridDim.x > 1 && i >= N) {
        return;
    }
    output[i] = 1.0f / (1.0f + expf(-input[i]));  // <- here
}
