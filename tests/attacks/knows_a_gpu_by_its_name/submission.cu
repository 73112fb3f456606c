// expect: wrong_answer
// problem: zip
// row: 4
//
// Works only where the device is called an emulator, or is of a kind that there is no GPU of.

#include <cuda_runtime.h>

#include <cstring>

__global__ void add(const float* a, const float* b, float* output, int N, bool emulated) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = emulated ? a[i] + b[i] : 0.0f;
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    bool emulated = strstr(device.name, "mulat") != nullptr || strstr(device.name, "NVIDIA") == nullptr;
    add<<<(N + 255) / 256, 256>>>(a, b, output, N, emulated);
}
