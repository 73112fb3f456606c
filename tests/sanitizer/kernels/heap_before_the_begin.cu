// out_of_bounds: the element before the first is read
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double* values = new double[4];
    for (int j = 0; j < 4; ++j) values[j] = in[i] + j;
    double sum = 0;
#ifdef FIXED
    for (int j = 1; j < 4; ++j)
#else
    for (int j = 0; j < 4; ++j)
#endif
        sum += values[j] - values[j - 1];  // found
    out[i] = sum;
    delete[] values;
}
