// expect: accepted
// on gpu: accepted | runtime_error | compile_error
// problem: zip
// row: emulator
//
// A branch by table with an index far outside. PTX leaves this undefined; what the kernel writes is right either way.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(
        "{ ts: .branchtargets L0, L1;\n"
        "brx.idx %0, ts;\n"
        "L0: L1: }" ::"r"(i + 1000000));
    if (i < N) output[i] = a[i] + b[i];
}
