// expect: accepted
//
// Zip, step 1: one thread adds one pair.
//
// Neighbouring threads touch neighbouring elements, so that a warp's reads and writes join into whole lines of
// memory. The kernel moves 12 bytes for one addition: its speed is the memory's.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = a[i] + b[i];
    }
}
