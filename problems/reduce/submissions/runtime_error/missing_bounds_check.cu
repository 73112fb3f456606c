// expect: runtime_error out_of_bounds
//
// Reduction whose threads read their first element without asking whether it exists.
//
// The student started each sum with the first element, to save an addition, and put the check into the loop over
// the others only. The last block has more threads than there are elements left.

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[BLOCK];

    int first = blockIdx.x * BLOCK + threadIdx.x;
    int width = gridDim.x * BLOCK;
    float sum = input[first];  // <- here
    for (int i = first + width; i < N; i += width) {
        sum += input[i];
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
