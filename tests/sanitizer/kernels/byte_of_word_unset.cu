// uninitialized_read: one byte of each word is never written
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    unsigned char* bytes = reinterpret_cast<unsigned char*>(tmp);
    int t = threadIdx.x;
#ifdef FIXED
    for (int b = 0; b < 4; ++b) bytes[4 * t + b] = b;
#else
    for (int b = 0; b < 3; ++b) bytes[4 * t + b] = b;
#endif
    out[t] = tmp[t];  // found
}
