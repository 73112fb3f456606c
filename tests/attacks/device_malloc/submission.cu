// expect: runtime_error
// problem: zip
// row: 24
//
// Takes all memory that the device heap has, and more.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float* block = (float*)malloc(1ull << 40);
    output[i] = block[0] + a[i] + b[i];
}
