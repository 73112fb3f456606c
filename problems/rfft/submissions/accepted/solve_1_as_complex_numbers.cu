// expect: accepted
//
// Fourier transform of real numbers, step 1: as complex numbers whose imaginary parts are 0.
//
// The stages of Cooley and Tukey in memory of their own, for all N numbers. Half of the work is done for results that
// nobody asked for, and the half that was asked for is copied.

#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void transform(const float* input, float2* room, float* output, int LOG) {
    int N = 1 << LOG;
    const float* numbers = input + (size_t)blockIdx.x * N;
    float2* own = room + (size_t)blockIdx.x * N;
    float2* result = reinterpret_cast<float2*>(output) + (size_t)blockIdx.x * (N / 2 + 1);
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        own[__brev(i) >> (32 - LOG)] = make_float2(numbers[i], 0.0f);
    }
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        for (int pair = threadIdx.x; pair < N / 2; pair += BLOCK) {
            int k = pair % half;
            int low = 2 * pair - k;
            float sine, cosine;
            sincospif(-(float)k / half, &sine, &cosine);
            float2 a = own[low];
            float2 b = own[low + half];
            float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
            own[low] = make_float2(a.x + turned.x, a.y + turned.y);
            own[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
        }
        __syncthreads();
    }
    for (int k = threadIdx.x; k <= N / 2; k += BLOCK) {
        result[k] = own[k];
    }
}

extern "C" void solve(const float* input, float* output, int ROWS, int LOG) {
    float2* room;
    cudaMalloc(&room, ((size_t)ROWS << LOG) * sizeof(float2));
    transform<<<ROWS, BLOCK>>>(input, room, output, LOG);
    cudaFree(room);
}
