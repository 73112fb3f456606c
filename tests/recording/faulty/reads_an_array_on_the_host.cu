// expect: runtime_error
// says: solve() reads the device array A on the host
extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float sum = 0;
    for (int i = 4; i < N; i++)
        sum += A[i];  // <- here
}
