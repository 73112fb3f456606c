// expect: runtime_error launch_failure
// on gpu: runtime_error | compile_error
// problem: zip
// row: emulator
//
// Declares 1 TB of shared memory in inline PTX, past the compiler.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .shared .b8 all[1099511627776]; }");
    if (i < N) output[i] = a[i] + b[i];
}
