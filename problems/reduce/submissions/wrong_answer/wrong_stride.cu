// expect: wrong_answer wrong_value
//
// Reduction in which a thread takes four elements at each step but strides by one.
//
// The student let each thread add four neighbouring elements and forgot that the stride grows with them: it has to be
// four grid widths. Once there are more elements than threads, many elements are added several times.

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int first = 4 * (blockIdx.x * BLOCK + threadIdx.x); first < N; first += gridDim.x * BLOCK) {
        for (int i = first; i < first + 4 && i < N; ++i) {
            sum += input[i];
        }
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
