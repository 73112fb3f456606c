// tries: to read the host's users
// expect: compile_error
// says: cannot open source file "/etc/passwd"
//
#include "/etc/passwd"
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
