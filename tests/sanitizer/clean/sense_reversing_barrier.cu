// A barrier of the grid whose sense is reversed by the last block to come.
// launch: 5 32
__device__ int count;
__device__ volatile int sense;
__device__ void meet(int& mine) {
    __syncthreads();
    if (threadIdx.x == 0) {
        mine = !mine;
        __threadfence();
        if (atomicAdd(&count, 1) == gridDim.x - 1) { count = 0; __threadfence(); sense = mine; }
        else while (sense != mine) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int mine = 0, i = blockIdx.x * 32 + threadIdx.x;
    float v = in[i];
    for (int r = 0; r < 4; r++) {
        tmp[i] = v;
        meet(mine);
        v += tmp[(i + 32) % 160];
        meet(mine);
    }
    out[i] = v;
}
