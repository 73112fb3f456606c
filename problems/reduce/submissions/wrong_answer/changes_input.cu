// expect: wrong_answer changed_input
//
// Reduction that uses the input as its working memory.
//
// The student saved the shared memory and built the tree right in the input, casting away its const. The sum is
// right, but the caller's data is destroyed: the next kernel to read it gets partial sums.

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float* scratch = const_cast<float*>(input);

    int first = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0.0f;
    for (int i = first; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    if (first < N) {
        scratch[first] = sum;
    }
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride && first + stride < N) {
            scratch[first] += scratch[first + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, scratch[first]);
    }
}
