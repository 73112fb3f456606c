// expect: compile_error
// problem: zip
// row: emulator
//
// The verdict would tell whether the file is there.
#if __has_include("/etc/shadow")
#error there
#endif
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
