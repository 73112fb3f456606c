// problem: map
// expect: accepted
// sizes: N=1 N=1000
//
// Thrust with device pointers and an operation of one's own, and a sum that comes back to the host and steers it.

#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

struct Sigmoid {
    __host__ __device__ float operator()(float x) const { return 1.0f / (1.0f + expf(-x)); }
};

extern "C" void solve(const float* input, float* output, int N) {
    thrust::device_ptr<const float> first(input);
    thrust::device_ptr<float> result(output);
    thrust::transform(first, first + N, result, Sigmoid());
    float sum = thrust::reduce(result, result + N);
    if (sum < 0.0f) cudaMemset(output, 0, N * sizeof(float));
}
