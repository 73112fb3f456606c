// problem: zip
// expect: rejected
// sizes: N=1000
// says: computes with them there, and hands the device what comes of it
//
// The sums are the host's; the kernel is handed them as arguments, some hundred a launch.
#include <vector>

struct Part {
    float values[256];
};

__global__ void put(float* output, Part part, int count) {
    if (threadIdx.x < count) output[threadIdx.x] = part.values[threadIdx.x];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    std::vector<float> x(N), y(N);
    cudaMemcpy(x.data(), a, N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), b, N * sizeof(float), cudaMemcpyDeviceToHost);
    for (int begin = 0; begin < N; begin += 256) {
        Part part;
        int count = N - begin < 256 ? N - begin : 256;
        for (int i = 0; i < count; i++) part.values[i] = x[begin + i] + y[begin + i];
        put<<<1, 256>>>(output + begin, part, count);
    }
}
