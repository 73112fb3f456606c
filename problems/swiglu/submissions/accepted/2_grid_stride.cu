// expect: accepted
//
// SwiGLU, step 2: a loop with strides of the whole grid.
//
// Added to step 1: the kernel no longer depends on there being a thread for each element, so it can be launched with
// just as many blocks as fill the GPU. With this problem's launch the loop runs once.

__device__ float silu(float x) {
    return x / (1.0f + expf(-x));
}

__global__ void swiglu_kernel(const float* __restrict__ gate, const float* __restrict__ value,
                              float* __restrict__ output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        output[i] = silu(gate[i]) * value[i];
    }
}
