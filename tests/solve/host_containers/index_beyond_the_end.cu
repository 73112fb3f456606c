// problem: zip
// expect: runtime_error
// sizes: N=1000
// says: solve() throws std::out_of_range (vector::_M_range_check:
//
// at() of a vector throws, and nobody catches it.

#include <vector>

__global__ void add(const float* a, const float* b, float* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    std::vector<int> counts = {N / 2, N - N / 2};
    int begin = 0;
    for (int i = 0; i <= 2; i++) {
        int count = counts.at(i);  // <- here
        add<<<(count + 127) / 128, 128>>>(a + begin, b + begin, output + begin, count);
        begin += count;
    }
}
