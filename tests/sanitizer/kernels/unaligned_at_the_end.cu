// misaligned: the last word of an array is taken from an odd address
// launch: 1 32
__device__ int word[2];
extern "C" __global__ void k(float* out, const float* in, int n) {
    char* last = (char*)&word[1];
#ifdef FIXED
    if (threadIdx.x == 0) *(int*)last = 42;
#else
    *(int*)(last + 1 + (int)in[0]) = 42;  // found
#endif
}
