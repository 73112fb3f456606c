// data_race: threads write halves of a word, one of them the whole word
// launch: 1 64
__device__ unsigned short words[256];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    words[2 * t + 1] = (unsigned short)in[t];  // found
#ifndef FIXED
    reinterpret_cast<unsigned int*>(words)[(t + 1) % 64] = t;  // found
#endif
}
