// expect: memory_limit_exceeded
#include <cstdlib>
#include <cstring>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (;;) memset(malloc(256 << 20), 1, 1 << 20);
}
