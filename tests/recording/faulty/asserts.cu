// expect: runtime_error
// says: solve() ended at an assert() that does not hold (N % 32 == 0 && "whole warps")
#include <cassert>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    assert(N % 32 == 0 && "whole warps");  // <- here
}
