// tries: to include itself without an end
// expect: compile_error
// says: nested|depth|too deeply
//
#include __FILE__
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
