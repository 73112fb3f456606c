// expect: runtime_error data_race
//
// Fourier transform of real numbers with a thread for each result.
//
// In place, a thread reads what the thread of the mirrored number has overwritten already.

#define BLOCK 256

// X[k] and X[M - k] of Z[k] and Z[M - k], where M is half the length of the row.
__device__ __forceinline__ void split(float2 z, float2 mirrored, int k, int M, float2& low, float2& high) {
    float2 even = make_float2(0.5f * (z.x + mirrored.x), 0.5f * (z.y - mirrored.y));
    float2 odd = make_float2(0.5f * (z.y + mirrored.y), 0.5f * (mirrored.x - z.x));
    float sine, cosine;
    sincospif(-(float)k / M, &sine, &cosine);
    float2 turned = make_float2(odd.x * cosine - odd.y * sine, odd.x * sine + odd.y * cosine);
    low = make_float2(even.x + turned.x, even.y + turned.y);
    high = make_float2(even.x - turned.x, turned.y - even.y);
}

__global__ void rfft_kernel(const float* input, float* output, int ROWS, int LOG) {
    int M = 1 << (LOG - 1);
    const float2* numbers = reinterpret_cast<const float2*>(input) + (size_t)blockIdx.x * M;
    float2* result = reinterpret_cast<float2*>(output) + (size_t)blockIdx.x * (M + 1);
    for (int i = threadIdx.x; i < M; i += BLOCK) {
        // A shift by 32 would be undefined: a single number stays where it is.
        result[LOG > 1 ? __brev(i) >> (33 - LOG) : 0] = numbers[i];
    }
    __syncthreads();
    for (int half = 1; half < M; half *= 2) {
        for (int pair = threadIdx.x; pair < M / 2; pair += BLOCK) {
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
        __syncthreads();
    }
    for (int k = threadIdx.x; k <= M; k += BLOCK) {
        float2 z = result[k % M];
        float2 mirrored = result[(M - k) % M];
        float2 unused;
        split(z, mirrored, k, M, result[k], unused);
    }
}
