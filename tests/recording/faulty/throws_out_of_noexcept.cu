// expect: runtime_error
// says: solve() throws int (42) in a function that lets no exception out
static void refuse(int N) {
    if (N > 0) throw 42;  // <- here
}

static void quiet(int N) noexcept { refuse(N); }

extern "C" void solve(const float* A, const float* B, float* C, int N) { quiet(N); }
