// expect: runtime_error
extern "C" void solve(const float* A, const float* B, float* C, int N) {
    volatile char memory[64 << 20];
    for (int i = sizeof memory - 1; i >= 0; i -= 4096) memory[i] = 1;
}
