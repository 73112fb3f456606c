"""System calls by name: their numbers on the machines that nvcc supports, and the lists of allowed ones.

Calls in no list are refused. The numbers are from Linux's <asm/unistd.h> and never change.
"""

from __future__ import annotations

MACHINES = ("x86_64", "aarch64")

_RECORD = """
read 0 63; readv 19 65; pread64 17 67; write 1 64; writev 20 66; pwrite64 18 68; lseek 8 62; close 3 57;
close_range 436 436; open 2 -; openat 257 56; access 21 -; faccessat 269 48; faccessat2 439 439; stat 4 -; lstat 6 -;
fstat 5 80; newfstatat 262 79; statx 332 291; statfs 137 43; fstatfs 138 44; readlink 89 -; readlinkat 267 78;
getdents64 217 61; getcwd 79 17; fcntl 72 25; dup 32 23; dup2 33 -; dup3 292 24; umask 95 166;
mmap 9 222; munmap 11 215; mprotect 10 226; mremap 25 216; madvise 28 233; brk 12 214; rt_sigaction 13 134;
rt_sigprocmask 14 135; rt_sigreturn 15 139; rt_sigsuspend 130 133; sigaltstack 131 132; tgkill 234 131;
restart_syscall 219 128; futex 202 98; set_tid_address 218 96; set_robust_list 273 99; rseq 334 293; arch_prctl 158 -;
getrlimit 97 163; setrlimit 160 164; prlimit64 302 261; poll 7 -; ppoll 271 73; select 23 -; pselect6 270 72;
recvfrom 45 207; sendto 44 206; shutdown 48 210; exit 60 93; exit_group 231 94; wait4 61 260; execve 59 221;
getpid 39 172; gettid 186 178; getppid 110 173; getpgid 121 155; getpgrp 111 -; getsid 124 156; getuid 102 174;
geteuid 107 175; getgid 104 176; getegid 108 177; getgroups 115 158; getresuid 118 148; getresgid 120 150;
getpriority 140 141; uname 63 160; sysinfo 99 179; getrandom 318 278; getrusage 98 165; times 100 153; time 201 -;
gettimeofday 96 169; clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115; nanosleep 35 101;
sched_yield 24 124; sched_getaffinity 204 123; sched_getparam 143 121; sched_getscheduler 145 120;
sched_get_priority_max 146 125; sched_get_priority_min 147 126; getcpu 309 168
"""

_COMPILE = """
rt_sigtimedwait 128 137; fork 57 -; vfork 58 -; waitid 247 95; pipe 22 -; pipe2 293 59; kill 62 129;
tkill 200 130; setpgid 109 154; setsid 112 157; alarm 37 -; setitimer 38 103;
chdir 80 49; fchdir 81 50; mkdir 83 -; mkdirat 258 34; rmdir 84 -;
unlink 87 -; unlinkat 263 35; rename 82 -; renameat 264 38; renameat2 316 276; ftruncate 77 46; fallocate 285 47;
fsync 74 82; fdatasync 75 83;
sendfile 40 71; copy_file_range 326 285; pidfd_open 434 434
"""

_THREADS = """
memfd_create 319 279; ftruncate 77 46; pipe2 293 59; rt_sigtimedwait 128 137; mincore 27 232;
sched_setaffinity 203 122; mlock 149 228; munlock 150 229
"""

_REFUSED = """
ptrace 101 117; process_vm_readv 310 270; process_vm_writev 311 271; pidfd_open 434 434; pidfd_getfd 438 438;
pidfd_send_signal 424 424; process_madvise 440 440; kcmp 312 272; kill 62 129; tkill 200 130; setsid 112 157;
setpgid 109 154; connect 42 203; accept 43 202; accept4 288 242;
socketpair 53 199; sendmsg 46 211; recvmsg 47 212; bpf 321 280; perf_event_open 298 241; userfaultfd 323 282;
io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427; keyctl 250 219; add_key 248 217;
request_key 249 218; unshare 272 97; setns 308 268; mount 165 40; umount2 166 39; pivot_root 155 41; chroot 161 51;
open_tree 428 428; move_mount 429 429; fsopen 430 430; fsconfig 431 431; fsmount 432 432; fspick 433 433;
mount_setattr 442 442; init_module 175 105; finit_module 313 273; delete_module 176 106; kexec_load 246 104;
kexec_file_load 320 294; reboot 169 142; swapon 167 224; swapoff 168 225; acct 163 89; quotactl 179 60;
settimeofday 164 170; clock_settime 227 112; adjtimex 159 171; clock_adjtime 305 266; sethostname 170 161;
setdomainname 171 162; syslog 103 116; vhangup 153 58; personality 135 92; mknodat 259 33; mknod 133 -;
iopl 172 -; ioperm 173 -; modify_ldt 154 -; name_to_handle_at 303 264; open_by_handle_at 304 265;
fanotify_init 300 262; lookup_dcookie 212 18; clone3 435 435; fork 57 -; vfork 58 -; execveat 322 281;
setpriority 141 140; sched_setscheduler 144 119; sched_setattr 314 274;
setuid 105 146; setgid 106 144; setreuid 113 145; setregid 114 143; setresuid 117 147; setresgid 119 149;
setgroups 116 159; setfsuid 122 151; setfsgid 123 152; capset 126 91; chown 92 -; fchown 93 55; lchown 94 -;
fchownat 260 54; ioprio_set 251 30; migrate_pages 256 238;
move_pages 279 239; sched_setparam 142 118; rt_sigqueueinfo 129 138; rt_tgsigqueueinfo 297 240; sendmmsg 307 269;
recvmmsg 299 243; fchmodat2 452 452; openat2 437 437; shmget 29 194;
shmat 30 196; shmctl 31 195; msgget 68 186; semget 64 190; mq_open 240 180
"""

_BY_ARGUMENT = """
clone 56 220; ioctl 16 29; prctl 157 167; socket 41 198; creat 85 -
"""

_BY_PROCESS = """
prlimit64 302 261; tgkill 234 131; fcntl 72 25; sched_setaffinity 203 122
"""

_ATTRIBUTES = """
chmod 90 -; fchmod 91 52; fchmodat 268 53; utime 132 -; utimes 235 -; futimesat 261 -;
utimensat 280 88; setxattr 188 5; lsetxattr 189 6; fsetxattr 190 7; removexattr 197 14; lremovexattr 198 15;
fremovexattr 199 16; setxattrat 463 463; removexattrat 466 466; file_setattr 469 469; truncate 76 45;
inotify_add_watch 254 27
"""


def _read(table: str) -> dict[str, tuple[int | None, ...]]:
    """Parses rows `name x86_64 aarch64`; a dash marks a call that a machine does not have."""
    rows = (row.split() for row in table.replace("\n", " ").split(";"))
    return {name: tuple(None if n == "-" else int(n) for n in numbers) for name, *numbers in rows}


RECORD = _read(_RECORD)
"""Calls of a program that computes, reads files and uses its existing channel."""

COMPILE = _read(_COMPILE)
"""Additional calls of compilers, which start programs and write, rename and delete files."""

THREADS = _read(_THREADS)
"""Additional calls of a program with threads that generates machine code and shares memory."""

REFUSED = _read(_REFUSED)
"""Calls with which a program reaches others, gains rights, or leaves something behind.

Used for programs whose calls we can't know, such as those of CUDA's driver.
"""

REPLACED = ("clone3", "fchmodat2", "openat2")
"""Refused calls that fail with ENOSYS, so that libraries fall back to calls that a filter can inspect."""

BY_ARGUMENT = _read(_BY_ARGUMENT)
"""Calls that are harmless only with some arguments."""

BY_PROCESS = _read(_BY_PROCESS)
"""Calls that reach other processes with some arguments; relevant only without a process namespace."""

ATTRIBUTES = _read(_ATTRIBUTES)
"""Calls on files that no sandbox controls: modes, times, lengths, file watches. The device files are the host's own."""

NEWEST_KNOWN = 423
"""Later calls replace older ones; libraries fall back to those if the kernel reports that it has no such call."""


def numbers_of(machine: str, *tables: dict[str, tuple[int | None, ...]]) -> dict[str, int]:
    """Call numbers by name on one machine, without calls that it does not have."""
    column = MACHINES.index(machine)
    return {name: number for table in tables for name, row in table.items() if (number := row[column]) is not None}
