// problem: map
// expect: runtime_error
// sizes: N=1000
//
// Thrust takes raw pointers for the host's: without thrust::device or device_ptr it computes there.

#include <thrust/transform.h>

struct Sigmoid {
    __host__ __device__ float operator()(float x) const { return 1.0f / (1.0f + expf(-x)); }
};

extern "C" void solve(const float* input, float* output, int N) {
    thrust::transform(input, input + N, output, Sigmoid());
}
