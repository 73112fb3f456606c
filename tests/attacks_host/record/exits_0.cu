// expect: runtime_error
// Ends the process before anybody looks at the result.
#include <cstdlib>

extern "C" void solve(const float* A, const float* B, float* C, int N) { exit(0); }
