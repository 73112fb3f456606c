// Scratch is filled by different threads, by bytes and words, before all of it is read.
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    unsigned char* bytes = reinterpret_cast<unsigned char*>(tmp);
    for (int b = 0; b < 4; ++b) bytes[(t * 4 + b) ^ 5] = b;
    __syncthreads();
    out[t] = tmp[t];
}
