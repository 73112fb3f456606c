// expect: wrong_answer
// Looks for descriptors that the judge forgot (CHEATS, row 10). Its own channel is the only one.
#include <cstdlib>
#include <fcntl.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int descriptor = 4; descriptor < 4096; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0) abort();
}
