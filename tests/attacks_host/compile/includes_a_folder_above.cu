// tries: to walk up from where it is compiled
// expect: compile_error
// says: cannot open source file
//
#include "../../../../../../etc/hostname"
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
