// Takes the right to start a program from this process, before the submission's code is loaded. The sandbox's own
// filter can't: bubblewrap loads it before it starts the recorder.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "recorder.h"

namespace kgrade {

void refuse_programs() {
#if defined(__x86_64__)
    constexpr unsigned MACHINE = AUDIT_ARCH_X86_64;
#else
    constexpr unsigned MACHINE = AUDIT_ARCH_AARCH64;
#endif
    constexpr unsigned REFUSE = SECCOMP_RET_ERRNO | EPERM;
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, REFUSE),
    };
    sock_fprog program{sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        stop("load", "", "[]", "this system's kernel has no seccomp filters, so host code can't be kept from programs");
}

}  // namespace kgrade
