// problem: zip
// expect: runtime_error out_of_bounds
// on gpu: runtime_error | wrong_answer | accepted
// says: not after other calls in the same one
// sizes: N=1 N=1000
//
// The length is that of the largest call.
#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* output, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) output[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static int most = 0;
    if (N > most) most = N;
    add<<<4, 256>>>(a, b, output, most);
}
