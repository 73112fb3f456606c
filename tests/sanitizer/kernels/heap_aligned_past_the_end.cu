// out_of_bounds: the fourth of three objects that are aligned to 64 bytes
// launch: 2 64
struct alignas(64) Line {
    float values[16];
};
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Line* lines = new Line[3];
#ifdef FIXED
    for (int j = 0; j < 3; ++j)
#else
    for (int j = 0; j < 4; ++j)
#endif
        lines[j].values[j] = in[i];  // found
    out[i] = lines[2].values[2];
    delete[] lines;
}
