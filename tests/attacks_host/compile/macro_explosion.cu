// tries: to take all memory or time by macros
// expect: compile_error
// seconds: 3
// says: memory|longer|too large|too long
//
#define A0 1 + 1
#define A1 A0 + A0 + A0 + A0 + A0 + A0 + A0 + A0
#define A2 A1 + A1 + A1 + A1 + A1 + A1 + A1 + A1
#define A3 A2 + A2 + A2 + A2 + A2 + A2 + A2 + A2
#define A4 A3 + A3 + A3 + A3 + A3 + A3 + A3 + A3
#define A5 A4 + A4 + A4 + A4 + A4 + A4 + A4 + A4
#define A6 A5 + A5 + A5 + A5 + A5 + A5 + A5 + A5
#define A7 A6 + A6 + A6 + A6 + A6 + A6 + A6 + A6
#define A8 A7 + A7 + A7 + A7 + A7 + A7 + A7 + A7
#define A9 A8 + A8 + A8 + A8 + A8 + A8 + A8 + A8
long many = A9;
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
