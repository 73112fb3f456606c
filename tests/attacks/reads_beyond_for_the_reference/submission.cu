// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error
// problem: map
// row: 6
//
// Looks behind its own arrays for a finished result that the grader may have left in memory.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    const float* beyond = output + N;
    output[i] = beyond[i];  // <- here
}
