// Barriers that vote are barriers.
// launch: 2 96
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[96];
    int t = threadIdx.x;
    s[t] = in[t];
    int many = __syncthreads_count(s[t] > 10);
    float x = s[95 - t];
    if (__syncthreads_or(x > 1000)) return;
    s[t] = x + many;
    if (__syncthreads_and(x >= 0)) out[blockIdx.x * 96 + t] = s[(t + 50) % 96];
}
