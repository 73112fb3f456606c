// expect: wrong_answer
// problem: zip
// row: 14
//
// Copies the first array and leaves the second unread.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i];
}
