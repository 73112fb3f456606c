// expect: wrong_answer unwritten_output
// problem: zip
// row: 24
//
// Leaves by an exit instruction of PTX before anything is done.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("exit;");
    if (i < N) output[i] = a[i] + b[i];
}
