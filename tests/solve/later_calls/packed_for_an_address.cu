// problem: zip
// expect: wrong_answer
// sizes: N=1 N=1000
// says: not after other calls in the same one
//
// One array is packed when its address or its size is new; new data at the same address are not.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static const float* packed_of = nullptr;
    static int packed_size = 0;
    static float* packed = nullptr;
    if (b != packed_of || N != packed_size) {
        cudaFree(packed);
        cudaMalloc(&packed, N * sizeof(float));
        cudaMemcpy(packed, b, N * sizeof(float), cudaMemcpyDeviceToDevice);
        packed_of = b;
        packed_size = N;
    }
    add<<<(N + 255) / 256, 256>>>(a, packed, output, N);
}
