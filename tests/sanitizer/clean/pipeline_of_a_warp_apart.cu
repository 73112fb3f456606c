// One warp is the producer of a pipeline, the others are its consumers.
// launch: 2 96
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    using namespace cooperative_groups;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][64];
    auto block = this_thread_block();
    bool fills = threadIdx.x >= 64;
    auto pipe = cuda::make_pipeline(block, &state, fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int round = 0; round < 8; ++round) {
        if (fills) {
            pipe.producer_acquire();
            for (int j = threadIdx.x - 64; j < 64; j += 32)
                cuda::memcpy_async(&s[round % 2][j], in + 64 * round + j, sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += s[round % 2][63 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    if (!fills) out[blockIdx.x * 64 + threadIdx.x] = sum;
}
