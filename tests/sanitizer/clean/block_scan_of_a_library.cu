// cub reuses its shared memory with barriers between.
// launch: 2 128
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
extern "C" __global__ void k(float* out, const float* in, int n) {
    using Scan = cub::BlockScan<float, 128>;
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ union { typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; } memory;
    float x = in[threadIdx.x], sum;
    Scan(memory.scan).InclusiveSum(x, x);
    __syncthreads();
    sum = Reduce(memory.reduce).Sum(x);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
