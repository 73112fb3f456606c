// expect: wrong_answer unwritten_output
// problem: zip
// row: 17
//
// Four elements a thread, and no fourth part of an odd rest.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        for (int k = 0; k < 4; ++k) output[4 * i + k] = a[4 * i + k] + b[4 * i + k];
    }
}
