// tries: to find out which files the host has
// expect: accepted
//
#if __has_include("@SECRET@") || __has_include("/etc/passwd") || __has_include("/proc/self/status")
#error found
#endif
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
