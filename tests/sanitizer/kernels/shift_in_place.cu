// data_race: a block overwrites what its neighbour has yet to read
// launch: 4 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    out[i] = in[i + 1];
#else
    float* x = const_cast<float*>(in);
    float next = x[i + 1];
    __syncthreads();
    x[i] = next;  // found
#endif
}
