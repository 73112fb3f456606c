// data_race: of two arrays in dynamic shared memory the second begins too early
// launch: 1 64
extern __shared__ __align__(16) char raw[];
extern "C" __global__ void k(float* out, const float* in, int n) {
    float* values = reinterpret_cast<float*>(raw);
#ifdef FIXED
    int* keys = reinterpret_cast<int*>(raw + 64 * sizeof(float));
#else
    int* keys = reinterpret_cast<int*>(raw + 60 * sizeof(float));
#endif
    int t = threadIdx.x;
    values[t] = in[t];  // found
    keys[t] = t;        // found
    __syncthreads();
    out[t] = values[t] + keys[t];
}
