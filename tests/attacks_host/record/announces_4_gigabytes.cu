// expect: rejected
// Makes the judge wait for, or make room for, a frame that never comes.
#include <sys/socket.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    send(3, "\xff\xff\xff\xff", 4, 0);
    for (;;) usleep(1000);
}
