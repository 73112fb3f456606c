// expect: time_limit_exceeded
// Catches whatever can be caught and stays.
#include <signal.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int number = 1; number < 65; number++) signal(number, [](int) {});
    for (;;) usleep(1000);
}
