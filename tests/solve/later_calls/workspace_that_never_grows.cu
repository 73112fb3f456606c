// problem: zip
// expect: runtime_error
// on gpu: runtime_error | wrong_answer | accepted
// sizes: N=1 N=1000
// says: not after other calls in the same one
//
// The workspace has the size of the first call.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static float* workspace = nullptr;
    if (!workspace) cudaMalloc(&workspace, N * sizeof(float));
    add<<<(N + 255) / 256, 256>>>(a, b, workspace, N);
    cudaMemcpy(output, workspace, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
