// expect: runtime_error out_of_bounds | accepted
// on gpu: accepted | runtime_error | compile_error
// problem: zip
// row: emulator
//
// Starts asynchronous copies of 16 bytes that say to copy four billion of the source, at the end of shared memory.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ __align__(16) float last[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned target = (unsigned)__cvta_generic_to_shared(last);
    if (threadIdx.x == 0) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(a), "r"(0xffffffffu) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    if (i < N) output[i] = a[i] + b[i];
}
