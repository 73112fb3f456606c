// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// The standard library on the host: the pieces of the array in a vector, backwards, and their streams by name.

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

__global__ void add(const float* a, const float* b, float* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    const int piece = 100;
    std::vector<int> pieces((N + piece - 1) / piece);
    std::iota(pieces.rbegin(), pieces.rend(), 0);
    std::unordered_map<std::string, cudaStream_t> streams;
    for (int number : pieces) {
        std::string name = "stream " + std::to_string(number % 3);
        if (streams.find(name) == streams.end()) cudaStreamCreate(&streams[name]);
        int begin = number * piece;
        auto count = std::make_unique<int>(std::min(piece, N - begin));
        add<<<1, 128, 0, streams[name]>>>(a + begin, b + begin, output + begin, *count);
    }
    cudaDeviceSynchronize();
    for (auto& named : streams) cudaStreamDestroy(named.second);
}
