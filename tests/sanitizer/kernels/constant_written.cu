// out_of_bounds: a store through a pointer that may be one to constant memory
// launch: 1 4
__constant__ float table[4];
__device__ __noinline__ void set(float* p) {
    p[threadIdx.x] = 7;  // found
}
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    set(in[0] < 1 ? out : table);
#else
    set(in[0] > 1 ? out : table);
#endif
    out[threadIdx.x + 4] = *(in[0] < 1 ? &table[threadIdx.x] : in);
}
