// expect: compile_error
// problem: zip
// row: emulator
//
// A string that its line ends: the next line is code again.
const char* text = "
#include "/etc/passwd"
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
