// data_race: two warps write fields of bits that lie in one word
// launch: 1 64
struct Packed {
    unsigned kind : 4, size : 12;
};
__device__ Packed packed[32];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    if (t < 32) {
        packed[t].kind = t;
        packed[t].size = 3 * t;
    }
#else
    if (t < 32)
        packed[t].kind = t;  // found
    else
        packed[t - 32].size = 3 * t;  // found
#endif
}
