// data_race: a pipeline's stage is used without consumer_wait()
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][128];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    float sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[0], in, sizeof(s[0]), pipe);
    pipe.producer_commit();
    for (int round = 1; round < 8; ++round) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[round % 2], in + 128 * round, sizeof(s[0]), pipe);
        pipe.producer_commit();
#ifdef FIXED
        pipe.consumer_wait();
#else
        block.sync();
#endif
        sum += s[(round - 1) % 2][127 - t];  // found
        pipe.consumer_release();
    }
    pipe.consumer_wait();
    out[t] = sum + s[1][127 - t];
    pipe.consumer_release();
}
