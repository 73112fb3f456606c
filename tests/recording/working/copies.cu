// Copies of every kind: by rows, by boxes, between host and device, to and from variables of the device.
#include <vector>

__constant__ float weights[4];
__device__ float total;

__global__ void use(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] * weights[i % 4] + total;
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float host[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(weights, host, sizeof host);
    host[0] = 9;  // the copy has taken the bytes already
    float one = 1;
    cudaMemcpyToSymbol(total, &one, sizeof one);
    float* T;
    size_t pitch;
    cudaMallocPitch(&T, &pitch, 40, 3);
    cudaMemcpy2D(T, pitch, A, 40, 40, 3, cudaMemcpyDeviceToDevice);
    cudaMemset2D(T, pitch, 1, 40, 3);
    cudaMemcpy(C, A, 16, cudaMemcpyDefault);
    std::vector<float> rows(30);
    cudaMemcpy2D(rows.data(), 40, T, pitch, 40, 3, cudaMemcpyDeviceToHost);
    cudaMemcpy(T, rows.data(), 120, cudaMemcpyHostToDevice);
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr((void*)A, 16, 16, 2);
    box.dstPtr = make_cudaPitchedPtr(T, 32, 32, 2);
    box.extent = make_cudaExtent(16, 2, 2);
    box.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3D(&box);
    float back = 0;
    cudaMemcpyFromSymbol(&back, total, sizeof back);
    use<<<1, 32>>>(A, C, back == 0 ? N : -1);
    cudaFree(T);
}
