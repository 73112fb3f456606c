// expect: wrong_answer
// Tries for rights of its own: namespaces, mounts, a new root, a filter of system calls.
#include <cstdlib>
#include <initializer_list>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (int kind : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC})
        if (unshare(kind) == 0 || syscall(SYS_clone, kind | 17, nullptr, nullptr, nullptr, 0) >= 0) abort();
    if (mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 || umount2("/usr", MNT_DETACH) == 0) abort();
    if (chroot("/usr") == 0 || setuid(0) == 0 || sethostname("x", 1) == 0) abort();
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0) abort();
    if (prctl(PR_CAPBSET_READ, 21) == 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0) abort();
}
