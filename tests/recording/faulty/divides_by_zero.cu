// expect: runtime_error
// says: solve() divides an integer by zero on the host
extern "C" void solve(const float* A, const float* B, float* C, int N) {
    volatile int tile = 0;
    volatile int blocks = N / tile;  // <- here
    (void)blocks;
}
