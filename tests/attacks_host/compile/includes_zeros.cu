// tries: to read an endless file
// expect: compile_error
// seconds: 3
//
#include "/dev/zero"
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
