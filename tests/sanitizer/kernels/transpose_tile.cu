// data_race: a tile is transposed without a barrier
// launch: 1 1024
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32][33];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    s[y][x] = in[threadIdx.x];
#ifdef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = s[x][y];  // found
}
