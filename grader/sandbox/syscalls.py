"""System calls by name: their numbers on the machines that nvcc exists for, and the lists of those allowed.

What is in no list is refused. The numbers are Linux's <asm/unistd.h> and never change.
"""

from __future__ import annotations

MACHINES = ("x86_64", "aarch64")

_RECORD = """
read 0 63; readv 19 65; pread64 17 67; write 1 64; writev 20 66; pwrite64 18 68; lseek 8 62; close 3 57;
close_range 436 436; open 2 -; openat 257 56; access 21 -; faccessat 269 48; faccessat2 439 439; stat 4 -; lstat 6 -;
fstat 5 80; newfstatat 262 79; statx 332 291; statfs 137 43; fstatfs 138 44; readlink 89 -; readlinkat 267 78;
getdents64 217 61; getcwd 79 17; fcntl 72 25; dup 32 23; dup2 33 -; dup3 292 24; fadvise64 221 223; umask 95 166;
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
fsync 74 82; fdatasync 75 83; chmod 90 -; fchmod 91 52; fchmodat 268 53; utimensat 280 88; flock 73 32;
sendfile 40 71; copy_file_range 326 285
"""

_BY_ARGUMENT = """
clone 56 220; ioctl 16 29; prctl 157 167
"""


def _read(table: str) -> dict[str, tuple[int | None, ...]]:
    """Rows `name x86_64 aarch64`; a dash is for a call that a machine does not have."""
    rows = (row.split() for row in table.replace("\n", " ").split(";"))
    return {name: tuple(None if n == "-" else int(n) for n in numbers) for name, *numbers in rows}


RECORD = _read(_RECORD)
"""Calls that a program may make which computes, reads files and talks over the channel that it has."""

COMPILE = _read(_COMPILE)
"""What a compiler needs besides: it starts others, and writes, renames and deletes files."""

BY_ARGUMENT = _read(_BY_ARGUMENT)
"""Calls that are harmless with some arguments only."""

NEWEST_KNOWN = 423
"""Later calls replace older ones, and libraries go back to those where the kernel answers that it has no such call."""


def numbers_of(machine: str, *tables: dict[str, tuple[int | None, ...]]) -> dict[str, int]:
    """The numbers by name on one machine, of calls which that has."""
    column = MACHINES.index(machine)
    return {name: number for table in tables for name, row in table.items() if (number := row[column]) is not None}
