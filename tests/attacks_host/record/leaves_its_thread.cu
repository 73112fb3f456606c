// expect: runtime_error
// Ends the thread that called it, so that nobody comes back from solve().
#include <pthread.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) { pthread_exit(nullptr); }
