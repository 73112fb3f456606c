// expect: accepted
//
// Zip, step 2: a loop with strides of the whole grid.
//
// Added to step 1: the kernel is right for any number of blocks, so it can be launched with just as many as fill
// the GPU. With this problem's launch the loop runs once. __restrict__ promises that the output overlaps neither
// input, which lets the compiler load the next pair before the last sum is stored.

#define BLOCK (1 << 8)

extern "C" __global__ void zip_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ output, int N) {
    const int stride = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += stride) {
        output[i] = a[i] + b[i];
    }
}
