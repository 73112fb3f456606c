// tries: to compute without an end when compiling
// expect: compile_error
// seconds: 3
// says: constant|longer|constexpr|limit
//
constexpr unsigned long spin(unsigned long n) {
    unsigned long x = 1;
    for (unsigned long i = 0; i < n; ++i) x = x * 6364136223846793005ul + i;
    return x;
}
constexpr unsigned long spun = spin(~0ul);
static_assert(spun != 0, "");
__global__ void k(float* a) { a[0] = 1; }
extern "C" void solve(float* a) { k<<<1, 1>>>(a); }
