// expect: runtime_error out_of_bounds
//
// Vector addition without a bounds check.
//
// The student thought: "there is one thread for each element". The last block is always complete, and its surplus
// threads read past the end. Right only for multiples of the block size.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = a[i] + b[i];  // <- here
}
