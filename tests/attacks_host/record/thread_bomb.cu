// expect: wrong_answer
// Starts as many threads as the machine bears, none of which ends.
#include <pthread.h>
#include <unistd.h>

static void* sleeps(void*) {
    for (;;) usleep(1000000);
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    pthread_t thread;
    for (int i = 0; i < 100000; i++)
        if (pthread_create(&thread, nullptr, sleeps, nullptr) != 0) return;
}
