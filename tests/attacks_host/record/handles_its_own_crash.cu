// expect: runtime_error
// Takes the recorder's handler away and ends as if all were well.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    signal(SIGSEGV, [](int) { syscall(SYS_exit_group, 0); });
    C[0] = A[0];
}
