// expect: accepted
// problem: zip
// row: emulator
//
// Macros of the words that the probe behind the source consists of. The kernel is right.
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
#define template
#define T 16
#define A 1
#define kgrade_types 3
#define static_assert(...)
#define typename
