// expect: runtime_error out_of_bounds
// on gpu: runtime_error
// problem: zip
// row: 22
//
// Reaches one array through the other by the distance between them, and 2^40 bytes beyond.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    const float* far = (const float*)((const char*)a + (1ll << 40));
    output[i] = far[i] + b[i];  // <- here
}
