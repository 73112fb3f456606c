#define BLOCK 256

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum = fmaf(a[i], b[i], sum);
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
            __syncthreads();
        }
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
