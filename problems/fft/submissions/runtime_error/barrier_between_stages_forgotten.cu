// expect: runtime_error data_race
//
// Fourier transform with a single barrier.
//
// A stage takes what other threads have made in the one before it.

#define BLOCK 256

__global__ void fft_kernel(const float* input, float* output, int ROWS, int LOG) {
    int N = 1 << LOG;
    const float2* numbers = reinterpret_cast<const float2*>(input) + (size_t)blockIdx.x * N;
    float2* result = reinterpret_cast<float2*>(output) + (size_t)blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        result[__brev(i) >> (32 - LOG)] = numbers[i];
    }
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        for (int pair = threadIdx.x; pair < N / 2; pair += BLOCK) {
            int k = pair % half;
            int low = 2 * pair - k;
            float sine, cosine;
            sincospif(-(float)k / half, &sine, &cosine);
            float2 a = result[low];
            float2 b = result[low + half];
            float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
            result[low] = make_float2(a.x + turned.x, a.y + turned.y);
            result[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
        }
    }
}
