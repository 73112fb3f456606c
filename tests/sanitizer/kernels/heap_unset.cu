// uninitialized_read: malloc() does not set memory to 0
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int* counts = static_cast<int*>(malloc(8 * sizeof(int)));
#ifdef FIXED
    memset(counts, 0, 8 * sizeof(int));
#endif
    for (int j = 0; j < 20; ++j) counts[(i + j * j) % 8] += 1;  // found
    out[i] = counts[(i + 1) % 8] + in[i];
    free(counts);
}
