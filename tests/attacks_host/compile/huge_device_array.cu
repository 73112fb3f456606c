// tries: to write device code of gigabytes
// expect: compile_error
// seconds: 3
//
__device__ int large[1 << 28] = {1};
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
