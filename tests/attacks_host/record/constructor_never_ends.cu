// expect: time_limit_exceeded
#include <unistd.h>

struct First {
    First() {
        for (;;) usleep(1000);
    }
} first;

extern "C" void solve(const float* A, const float* B, float* C, int N) {}
