// A pipeline of two stages that all threads fill and use.
// launch: 2 128
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][128];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    for (int round = 0, fetch = 0; round < 8; ++round) {
        for (; fetch < 8 && fetch < round + 2; ++fetch) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetch % 2], in + 128 * fetch, sizeof(s[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[round % 2][127 - threadIdx.x];
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
