// out_of_bounds: the first thread gives back what the others still read
// launch: 4 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float* table;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) table = static_cast<float*>(malloc(blockDim.x * sizeof(float)));
    __syncthreads();
    table[threadIdx.x] = in[i];
    __syncthreads();
#ifdef FIXED
    out[i] = table[127 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) free(table);
#else
    if (threadIdx.x == 0) free(table);
    __syncthreads();
    out[i] = table[127 - threadIdx.x];  // found
#endif
}
