#define BLOCK 256
#define MOST_BLOCKS 1024

__device__ float block_sums[MOST_BLOCKS];
__device__ unsigned int blocks_done;

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
