// problem: map
// expect: accepted
// sizes: N=1 N=30000
//
// 64 KB of dynamic shared memory in a block, which a kernel has to ask for.

constexpr int ROOM = 64 * 1024;

__global__ void sigmoid(const float* input, float* output, int N) {
    extern __shared__ float tile[];
    constexpr int COUNT = ROOM / sizeof(float);
    int begin = blockIdx.x * COUNT;
    for (int i = threadIdx.x; i < COUNT && begin + i < N; i += blockDim.x) tile[i] = input[begin + i];
    __syncthreads();
    for (int i = threadIdx.x; i < COUNT && begin + i < N; i += blockDim.x) {
        output[begin + i] = 1.0f / (1.0f + expf(-tile[i]));
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaFuncSetAttribute(sigmoid, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
    int count = ROOM / sizeof(float);
    sigmoid<<<(N + count - 1) / count, 256, ROOM>>>(input, output, N);
}
