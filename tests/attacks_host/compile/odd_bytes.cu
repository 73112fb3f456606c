// tries: to break the reader of the source or the log
// expect: compile_error
//
[31m red
int ‮ reversed;__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
