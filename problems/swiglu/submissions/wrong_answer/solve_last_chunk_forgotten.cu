// expect: wrong_answer unwritten_output
//
// SwiGLU in chunks that leave out the last, shorter one.
//
// The loop runs over whole chunks. N is a multiple of their length only by chance.

#include <cuda_runtime.h>

__global__ void swiglu(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = gate[i] / (1.0f + expf(-gate[i])) * value[i];
    }
}

extern "C" void solve(const float* gate, const float* value, float* output, int N) {
    const int chunk = 65536;
    for (int c = 0; c < N / chunk; c++) {
        int start = c * chunk;
        swiglu<<<chunk / 256, 256>>>(gate + start, value + start, output + start, chunk);
    }
}
