// tries: to make the assembler quote a file of the host
// expect: compile_error
// says: assembler|can.t open
//
asm(".include \"@SECRET@\"");
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
