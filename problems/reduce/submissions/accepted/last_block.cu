// expect: accepted
//
// Reduction with the same bits at every run.
//
// Floating-point addition is not associative, and the atomic operations of the numbered steps come in any order, so
// two runs may differ in the last bits. Changed from step 2: each block leaves its sum in a place of its own, and the
// block that finishes last, found out by counting, adds these sums in a fixed order. The price is one fence a block and
// a second tree at the end, one or two microseconds together.

#define BLOCK 256
#define MOST_BLOCKS 1024

__device__ float block_sums[MOST_BLOCKS];
__device__ unsigned int blocks_done;

// The sum over the block in a fixed order; all threads get it.
__device__ float block_sum(float value) {
    __shared__ float partial[BLOCK];

    partial[threadIdx.x] = value;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    float sum = partial[0];
    __syncthreads();
    return sum;
}

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ bool is_last;

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    sum = block_sum(sum);

    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = sum;
        // The fence makes the sum visible to all blocks before the count says that it is there.
        __threadfence();
        // atomicInc starts again at 0 after the last block, which leaves the counter ready for the next launch.
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();

    if (is_last) {
        __threadfence();
        sum = 0.0f;
        for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) {
            sum += __ldcg(&block_sums[i]);
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0) {
            output[0] = sum;
        }
    }
}
