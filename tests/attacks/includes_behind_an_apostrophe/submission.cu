// expect: compile_error
// problem: zip
// row: emulator
//
// An apostrophe in text that is skipped: what looks like a comment is none.
#if 0
 don't /*
#endif
#include "/etc/passwd"
// */
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
