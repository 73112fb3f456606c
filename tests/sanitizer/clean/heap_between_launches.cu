// Memory of the heap stays from launch to launch; others than those that got it use it and give it back.
// launch: 2 64 make, 2 64 use, 2 64 away
__device__ float* kept[128];
extern "C" __global__ void make(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[i] = static_cast<float*>(malloc((i + 1) * sizeof(float)));
    for (int j = 0; j <= i; ++j) kept[i][j] = in[j];
}
extern "C" __global__ void use(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = kept[127 - i][127 - i];
}
extern "C" __global__ void away(float* out, const float* in, int n) {
    free(kept[127 - blockIdx.x * blockDim.x - threadIdx.x]);
}
