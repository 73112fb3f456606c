// expect: wrong_answer
// problem: reduce
// row: 14
//
// Leaves the 0 that the launch put into the output: the mean of the sum.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    if (N < 0) output[0] = input[0];
}
