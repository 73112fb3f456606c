// What one launch writes the next reads, anywhere, and writes again.
// launch: 4 64, 2 128 second, 4 64
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tmp[i] = in[i];
}
extern "C" __global__ void second(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tmp[255 - i] + tmp[(i + 1) % 256];
}
