// trap: all threads of a block give back what one of them got
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float* table;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) table = new float[64];
    __syncthreads();
    table[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = table[63 - threadIdx.x];
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0)
#endif
        delete[] table;  // found
}
