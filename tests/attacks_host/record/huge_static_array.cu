// expect: memory_limit_exceeded
// Is too large before its first line runs.
static char memory[8ull << 30];

extern "C" void solve(const float* A, const float* B, float* C, int N) { memory[N] = 1; }
