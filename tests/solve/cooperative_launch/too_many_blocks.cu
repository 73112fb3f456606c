// problem: reduce
// expect: runtime_error launch_failure
// sizes: N=3000
//
// More blocks than can run at the same time: those that wait for a place would keep the others waiting for ever, so a
// cooperative launch refuses them, whatever the kernel does.

__global__ void sum(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    void* arguments[] = {&input, &output, &N};
    cudaLaunchCooperativeKernel((void*)sum, dim3(100000), dim3(256), arguments, 0, 0);  // <- here
}
