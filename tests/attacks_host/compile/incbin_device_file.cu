// tries: to copy an endless file into the library
// expect: compile_error
// seconds: 3
//
asm(".incbin \"/dev/zero\"");
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
