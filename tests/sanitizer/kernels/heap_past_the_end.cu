// out_of_bounds: a thread writes one element more than it asked malloc() for
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    float* sums = static_cast<float*>(malloc(11 * sizeof(float)));
#else
    float* sums = static_cast<float*>(malloc(10 * sizeof(float)));
#endif
    sums[0] = 0.0f;
    for (int j = 0; j < 10; ++j) sums[j + 1] = sums[j] + in[i];  // found
    out[i] = sums[9];
    free(sums);
}
