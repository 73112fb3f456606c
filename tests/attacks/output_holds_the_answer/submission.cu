// expect: wrong_answer unwritten_output
// problem: zip
// row: 6, 7
//
// Writes back what the output held: the result of an earlier, right run, it hopes.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = output[i];
}
