// tries: to read the judge's environment
// expect: compile_error
// says: cannot open source file
//
#include "/proc/self/environ"
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
