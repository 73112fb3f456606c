// tries: to hand over device code that nvcc did not make
// expect: compile_error
// says: device code
//
__attribute__((section(".nv_fatbin"), used)) static const unsigned forged[64] = {0xBA55ED50u, 0x00100001u, 0x7fffffffu, 0x7fffffffu};
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
