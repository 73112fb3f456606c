// expect: runtime_error out_of_bounds
//
// Sigmoid without a bounds check.
//
// The student thought: "there is one thread for each element". The last block is always complete, and its surplus
// threads read past the end. Right only for multiples of the block size.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = 1.0f / (1.0f + expf(-input[i]));  // <- here
}
