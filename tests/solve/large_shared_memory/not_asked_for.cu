// problem: map
// expect: runtime_error launch_failure
// sizes: N=1000
//
// As right.cu, without cudaFuncSetAttribute: then 48 KB is the limit.

constexpr int ROOM = 64 * 1024;

__global__ void sigmoid(const float* input, float* output, int N) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        tile[threadIdx.x] = input[i];
        output[i] = 1.0f / (1.0f + expf(-tile[threadIdx.x]));
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    sigmoid<<<1, 256, ROOM>>>(input, output, N);  // <- here
}
