// expect: runtime_error launch_failure
// on gpu: runtime_error launch_failure | compile_error
// problem: reduce
// row: 7, 24
//
// A kernel that no multiprocessor can start, so that whatever the output held passes.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float all[20000];
    for (int i = threadIdx.x; i < 20000; i += blockDim.x) all[i] = input[i % N];
    __syncthreads();
    output[0] = all[N % 20000];
}
