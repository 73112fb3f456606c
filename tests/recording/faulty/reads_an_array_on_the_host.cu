// expect: runtime_error
// says: solve() reads host memory at 0x7f3000000010, which is the device array A
extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float sum = 0;
    for (int i = 4; i < N; i++)
        sum += A[i];  // <- here
}
