// tries: to reserve more memory than there is
// expect: accepted|compile_error
//
char large[1ul << 40]; extern "C" char* first() { return large; }
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
