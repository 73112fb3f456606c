// tries: to write a library of gigabytes
// expect: compile_error
// seconds: 3
//
static char large[3ul << 30] = {1}; char* use_it = large;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
