// expect: wrong_answer wrong_value
// problem: zip
// needs: gpu
// timed: N=16777216
// row: 13
//
// Computes the first half of one benchmark size: its time halves and its score doubles, which stays below the speed of
// light. Every element of a timed output is checked.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int end = N == 16777216 ? N / 2 : N;
    if (i < end) output[i] = a[i] + b[i];
}
