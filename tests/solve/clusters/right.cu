// problem: reduce
// expect: accepted
// needs: gpu sm_90
// sizes: N=1 N=100000
//
// A cluster of four blocks whose first one reads the sums of the others in their shared memory.

#include <cooperative_groups.h>

__global__ void sum(const float* input, float* output, int N) {
    namespace cg = cooperative_groups;
    __shared__ float own;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) own = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    atomicAdd(&own, sum);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        float total = 0.0f;
        for (unsigned rank = 0; rank < cluster.num_blocks(); rank++) total += *cluster.map_shared_rank(&own, rank);
        atomicAdd(output, total);
    }
    // Shared memory must live until the first block has read it.
    cluster.sync();
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(32);
    config.blockDim = dim3(128);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, sum, input, output, N);
}
