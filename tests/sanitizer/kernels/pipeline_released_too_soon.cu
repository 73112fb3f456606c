// data_race: a stage is given back to the pipeline before it has been read
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    __shared__ float s[128];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 8; ++round) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[t], in + 128 * round + t, sizeof(float), pipe);  // found
        pipe.producer_commit();
        pipe.consumer_wait();
#ifdef FIXED
        sum += s[127 - t];
        pipe.consumer_release();
#else
        pipe.consumer_release();
        sum += s[127 - t];  // found
#endif
    }
    out[t] = sum;
}
