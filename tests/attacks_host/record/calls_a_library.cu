// expect: runtime_error unsupported_call
// Leaves the work to cuBLAS (CHEATS, row 21).
extern "C" int cublasCreate_v2(void** handle);

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    void* handle;
    cublasCreate_v2(&handle);
}
