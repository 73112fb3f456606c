// expect: wrong_answer
// Reads and stops the processes around it.
#include <cstdlib>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    char byte;
    iovec here = {&byte, 1}, there = {reinterpret_cast<void*>(0x400000), 1};
    for (int process = 1; process < 300; process++) {
        if (ptrace(PTRACE_ATTACH, process, nullptr, nullptr) == 0) abort();
        if (process_vm_readv(process, &here, 1, &there, 1, 0) >= 0 && process != getpid()) abort();
    }
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) abort();
    kill(getppid(), SIGKILL);
    kill(-1, SIGSTOP);
}
