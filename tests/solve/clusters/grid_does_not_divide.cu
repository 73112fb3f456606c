// problem: reduce
// expect: runtime_error launch_failure
// needs: gpu sm_90
// sizes: N=1000
//
// A grid of 30 blocks can't be cut into clusters of four.

__global__ void sum(const float* input, float* output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(30);
    config.blockDim = dim3(128);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, sum, input, output, N);  // <- here
}
