// expect: runtime_error
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int descriptor = 0; descriptor < 64; descriptor++) close(descriptor);
}
