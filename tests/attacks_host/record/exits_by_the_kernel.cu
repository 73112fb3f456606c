// expect: runtime_error
// The same past every library.
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) { syscall(SYS_exit_group, 0); }
