// expect: compile_error
// problem: zip
// row: emulator
//
// The question, put together by the preprocessor.
#define PASTE(a, b) a##b
#define FILE_NAME "/etc/shadow"
#if PASTE(__has_, include)(FILE_NAME)
#error there
#endif
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
