// tries: to copy a file of the host into the library
// expect: compile_error
// says: assembler|file not found|can.t open
//
asm(".incbin \"@SECRET@\"");
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
