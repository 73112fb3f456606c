// tries: to read what the judge's user types
// expect: compile_error
// says: No such device
//
#include "/dev/tty"
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
