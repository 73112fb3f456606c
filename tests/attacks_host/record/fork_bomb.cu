// expect: wrong_answer
// Starts as many processes as the machine bears.
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    while (fork() >= 0) {
    }
#ifdef SYS_fork
    if (syscall(SYS_fork) >= 0) abort();
#endif
    if (syscall(SYS_clone, 17, nullptr, nullptr, nullptr, 0) >= 0) abort();
}
