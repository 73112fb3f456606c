// data_race: whether to go on is written anew while slower threads still ask
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ bool more;
    int t = threadIdx.x;
    for (int round = 0; round < 5; ++round) {
        if (t == 0) more = in[round] < 3;  // found
        __syncthreads();
        if (!more) break;  // found
        out[t] = in[t + round];
#ifdef FIXED
        __syncthreads();
#endif
    }
}
