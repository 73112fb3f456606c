// Neighbouring bytes and halves of a word belong to threads of different warps and blocks.
// launch: 4 33
__device__ unsigned char flags[256];
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ unsigned char s[64];
    int i = blockIdx.x * 33 + threadIdx.x;
    flags[i] = (unsigned char)in[i];
    s[threadIdx.x] = flags[i];
    reinterpret_cast<unsigned short*>(tmp)[i] = s[threadIdx.x];
}
