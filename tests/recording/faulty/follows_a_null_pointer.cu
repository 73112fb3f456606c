// expect: runtime_error
// says: solve() writes host memory through a null pointer
extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* volatile T = nullptr;
    *T = 1;  // <- here
}
