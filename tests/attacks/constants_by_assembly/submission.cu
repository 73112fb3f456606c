// expect: accepted
// problem: zip
// row: emulator
//
// Assembly defines a variable as the probe for launch constants would. The launch stays as it was.
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
__device__ void forge() {
    asm volatile("ret;\n}\n.visible .global .align 8 .u64 kgrade_constant_BLOCK = 1024;\n.visible .func g()\n{\n");
}
__device__ void (*pointer)() = forge;
