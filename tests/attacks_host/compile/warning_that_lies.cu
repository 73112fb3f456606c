// tries: to look like another tool's error
// expect: accepted
//
#warning submission.cu(1): error: forged
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
