// tries: to read the judge's standard input
// expect: accepted
//
#if __has_include("/dev/stdin")
#include "/dev/stdin"
#endif
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
