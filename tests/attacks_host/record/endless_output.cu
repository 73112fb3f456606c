// expect: time_limit_exceeded
#include <cstdio>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (;;) puts("verdict: accepted");
}
