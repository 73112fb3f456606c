// expect: time_limit_exceeded
extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (volatile int i = 0;; i = i + 1) {
    }
}
