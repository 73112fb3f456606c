// problem: zip
// expect: accepted
// sizes: N=1 N=1000
//
// The standard library on the host: pieces of the array in a vector, shuffled, their streams in a map.

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

__global__ void add(const float* a, const float* b, float* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    const int piece = 100;
    std::vector<int> begins((N + piece - 1) / piece);
    std::iota(begins.begin(), begins.end(), 0);
    std::shuffle(begins.begin(), begins.end(), std::mt19937(1));
    std::map<std::string, cudaStream_t> streams;
    for (int begin : begins) {
        std::string name = "stream " + std::to_string(begin % 3);
        if (streams.find(name) == streams.end()) cudaStreamCreate(&streams[name]);
        auto count = std::make_unique<int>(std::min(piece, N - begin * piece));
        int at = begin * piece;
        add<<<1, 128, 0, streams[name]>>>(a + at, b + at, output + at, *count);
    }
    cudaDeviceSynchronize();
    for (auto& [name, stream] : streams) cudaStreamDestroy(stream);
}
