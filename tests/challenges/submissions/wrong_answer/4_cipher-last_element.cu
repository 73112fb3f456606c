// expect: wrong_value
#include <cuda_runtime.h>

__global__ void work(const char* text, char key, char* secret, long long n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) secret[i] = text[i] ^ key;
}

extern "C" void solve(const char* text, char key, char* secret, long long n) {
    work<<<(n + 255) / 256, 256>>>(text, key, secret, n);
}
