// expect: compile_error
// problem: zip
// row: emulator
//
// An error that calls itself one of the questions behind the source.
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
#line 1 "kgrade probe"
__device__ int x = undefined_name;
#line 1 "kgrade probe macro NOPE"
__device__ int y = undefined_name;
