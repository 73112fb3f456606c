// expect: runtime_error out_of_bounds
// on gpu: runtime_error
// problem: zip
// row: 22
//
// Writes through small integers and through multiples of 2^36, where an emulator may keep its tables.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
#pragma unroll 1
    for (unsigned long long slot = 0; slot < 5000; ++slot) {
        *(volatile float*)(slot << 36) = 1.0f;  // <- here
        *(volatile float*)((slot << 36) + (1ull << 35)) = 1.0f;
        *(volatile float*)(slot * 8) = 1.0f;
    }
    output[i] = a[i] + b[i];
}
