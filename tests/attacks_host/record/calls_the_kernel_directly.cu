// expect: wrong_answer
// System calls that have broken other sandboxes.
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    long calls[] = {SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_memfd_create,
                    SYS_io_setup, SYS_kexec_load, SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_pidfd_open,
                    SYS_io_uring_setup, SYS_shmget, SYS_mq_open, SYS_process_vm_writev, SYS_personality};
    for (long call : calls)
        if (syscall(call, 0, 0, 0, 0, 0, 0) >= 0) abort();
}
