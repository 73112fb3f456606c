// launch: 2 96
// Neighbours are compared in all threads, in the last one with what nobody has written; only the others store.
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float more[97];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    more[t] = in[i];
    __syncthreads();
    bool rises = more[t + 1] > more[t];
    if (t + 1 < blockDim.x) out[i] = rises ? 1.0f : 0.0f;
}
