// tries: to read a file of the workspace
// expect: compile_error
// says: cannot open source file
//
#include "@SECRET@"
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
