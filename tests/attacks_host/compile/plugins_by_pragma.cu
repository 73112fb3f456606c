// tries: to load code into the compiler, or to pass it options
// expect: accepted
//
#pragma GCC plugin "/tmp/plugin.so"
#pragma comment(linker, "-dynamic-linker /etc/passwd")
#pragma GCC optimize("-fplugin=/tmp/plugin.so")
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
