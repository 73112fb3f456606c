// tries: to read a file of the workspace, named by a macro
// expect: compile_error
// says: cannot open source file
//
#define QUOTED(x) #x
#define NAME(x) QUOTED(x)
#define FILE_NAME @SECRET@
#include NAME(FILE_NAME)
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
