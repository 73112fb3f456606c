// expect: wrong_answer
// Goes on giving work when solve() has returned, when the clock would have stopped (CHEATS, row 8).
#include <cuda_runtime_api.h>
#include <pthread.h>

static void* works(void* C) {
    for (;;) cudaMemset(C, 0, 4);
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    pthread_t thread;
    pthread_create(&thread, nullptr, works, C);
}
