// tries: to hide a second device image behind the first
// expect: compile_error
// says: device code
//
__attribute__((section(".nv_fatbin"), used, aligned(8))) static const unsigned forged[] = {
    0xBA55ED50u, 0x00100001u, 80, 0, 0x00010002u, 64, 16, 0, 0, 0, 0, 89, 0, 0, 0, 0, 0, 0, 0, 0, 0x464c457fu, 0x00010102u, 0, 0};
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
