// expect: wrong_value
#include <cuda_runtime.h>

__global__ void work(const int* values, int* kept, int* count, int n) {
    int found = 0;
    for (int i = 0; i < n; ++i)
        if (values[i] > 0) kept[found++] = values[i];
    for (int i = found; i < n; ++i) kept[i] = 1;
    *count = found;
}

extern "C" void solve(const int* values, int* kept, int* count, int n) { work<<<1, 1>>>(values, kept, count, n); }
