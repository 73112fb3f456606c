"""The filter's program, run here by a small interpreter of BPF: what each call gets on both machines."""

from __future__ import annotations

import errno
import re
import stat
import struct
from pathlib import Path

import pytest

from grader.sandbox.seccomp import Profile, filter_program
from grader.sandbox.syscalls import ATTRIBUTES, BY_ARGUMENT, COMPILE, MACHINES, RECORD, REFUSED, REPLACED, THREADS

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
LISTED = (Profile.RECORD, Profile.COMPILE, Profile.COMPUTE)
"""Profiles with a list of what is allowed; the others have one of what is refused."""
EVERY = [(profile, machine) for profile in Profile for machine in MACHINES]
HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


def decide(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What a filter answers, as the kernel would find it (net/core/filter.c)."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, architecture, 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", program))
    at, word = 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (word,) = struct.unpack_from("<I", data, value)
        else:
            holds = {0x15: word == value, 0x35: word >= value, 0x45: bool(word & value)}[code]
            at += yes if holds else no


def numbers(machine: str) -> dict[str, int | None]:
    return {
        name: row[MACHINES.index(machine)]
        for table in (RECORD, COMPILE, THREADS, REFUSED, BY_ARGUMENT)
        for name, row in table.items()
    }


@pytest.mark.parametrize(("profile", "machine"), [pair for pair in EVERY if pair[0] in LISTED])
def test_every_number_gets_what_the_tables_say(profile: Profile, machine: str) -> None:
    program = filter_program(profile, machine)
    known = {number: name for name, number in numbers(machine).items() if number is not None}
    more = {Profile.RECORD: {}, Profile.COMPILE: COMPILE, Profile.COMPUTE: THREADS}[profile]
    allowed = {*RECORD, *more}
    for number in range(600):
        name = known.get(number, "")
        if name in BY_ARGUMENT:
            continue
        got = decide(program, ARCHITECTURE[machine], number)
        refused = ERRNO | (errno.EPERM if number < 424 else errno.ENOSYS)
        assert got == (ALLOW if name in allowed else refused), (number, name)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_program_of_the_driver_s_is_refused_what_is_listed(machine: str) -> None:
    program, watched = (filter_program(profile, machine) for profile in (Profile.GPU, Profile.WATCHED))
    for name, row in REFUSED.items():
        number = row[MACHINES.index(machine)]
        if number is not None:
            refused = errno.ENOSYS if name in REPLACED else errno.EPERM
            assert decide(program, ARCHITECTURE[machine], number) == ERRNO | refused, name
            assert decide(watched, ARCHITECTURE[machine], number) in (ERRNO | refused, ALLOW)
    assert decide(program, ARCHITECTURE[machine], 0) == ALLOW


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("machine", MACHINES)
def test_a_process_that_shares_its_numbers_reaches_no_other(profile: Profile, machine: str) -> None:
    program, own = filter_program(profile, machine, 77), 77
    for name, column in (("tgkill", (234, 131)), ("prlimit64", (302, 261))):
        number = column[MACHINES.index(machine)]
        assert decide(program, ARCHITECTURE[machine], number, own) == ALLOW, name
        assert decide(program, ARCHITECTURE[machine], number, 78) == ERRNO | errno.EPERM, name
    for name, row in ATTRIBUTES.items():
        number = row[MACHINES.index(machine)]
        assert number is None or decide(program, ARCHITECTURE[machine], number) != ALLOW, name
    affinity = numbers(machine)["sched_setaffinity"]
    assert affinity is not None
    assert decide(program, ARCHITECTURE[machine], affinity, 78) == ERRNO | errno.EPERM
    fcntl = (72, 25)[MACHINES.index(machine)]
    assert decide(program, ARCHITECTURE[machine], fcntl, 3, 1) == ALLOW
    for command in (8, 10, 15):
        assert decide(program, ARCHITECTURE[machine], fcntl, 3, command) == ERRNO | errno.EPERM
    for name in ("kill", "tkill", "setsid", "setpgid"):
        call = numbers(machine)[name]
        assert call is not None
        assert decide(program, ARCHITECTURE[machine], call) != ALLOW, name


@pytest.mark.parametrize(("profile", "machine"), EVERY)
def test_other_ways_to_call_end_the_program(profile: Profile, machine: str) -> None:
    program = filter_program(profile, machine)
    # 32-bit x86 and 32-bit ARM have other numbers.
    for architecture in (0x40000003, 0x40000028, 0):
        assert decide(program, architecture, 0) == KILL
    # x32 marks its numbers by a bit.
    assert decide(program, ARCHITECTURE[machine], 0x40000000 | 59) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_processes_and_namespaces(machine: str) -> None:
    clone = numbers(machine)["clone"]
    assert clone is not None
    record, build = (filter_program(profile, machine) for profile in (Profile.RECORD, Profile.COMPILE))
    architecture = ARCHITECTURE[machine]
    assert decide(record, architecture, clone, 17) == ERRNO | errno.EPERM
    assert decide(build, architecture, clone, 17) == ALLOW
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert decide(build, architecture, clone, 1 << bit | 17) == ERRNO | errno.EPERM
    assert decide(build, architecture, 435) == ERRNO | errno.ENOSYS
    for threads in (filter_program(profile, machine) for profile in (Profile.COMPUTE, Profile.GPU)):
        assert decide(threads, architecture, clone, 17) == ERRNO | errno.EPERM
        assert decide(threads, architecture, clone, 0x3D0F00) == ALLOW


@pytest.mark.parametrize(("profile", "machine"), EVERY)
def test_calls_by_their_argument(profile: Profile, machine: str) -> None:
    program, architecture, by_name = filter_program(profile, machine), ARCHITECTURE[machine], numbers(machine)
    ioctl, prctl = by_name["ioctl"], by_name["prctl"]
    assert ioctl is not None
    assert prctl is not None
    assert decide(program, architecture, ioctl, 0, 0x5401) == ALLOW
    assert decide(program, architecture, ioctl, 0, 0x5412) == ERRNO | errno.EPERM
    assert decide(program, architecture, prctl, 38) == ALLOW
    if profile is Profile.GPU:
        sendto = by_name["sendto"]
        assert sendto is not None
        # The kernel reads 32 bits of an address's length.
        assert decide(program, architecture, sendto, 3, 0, 0, 0, 1 << 32, 0) == ALLOW
        assert decide(program, architecture, sendto, 3, 0, 0, 0, 1 << 32, 110) == ERRNO | errno.EPERM
        assert decide(program, architecture, ioctl, 3, 0x8901) == ERRNO | errno.EPERM
    if profile is not Profile.WATCHED:
        assert decide(program, architecture, prctl, 1) == ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_debugger_makes_pipes_and_no_other_nodes(machine: str) -> None:
    architecture, mknodat = ARCHITECTURE[machine], numbers(machine)["mknodat"]
    assert mknodat is not None
    watched, alone, gpu = (
        filter_program(profile, machine, process)
        for profile, process in ((Profile.WATCHED, None), (Profile.WATCHED, 7), (Profile.GPU, None))
    )
    assert decide(watched, architecture, mknodat, 0, 0, stat.S_IFIFO | 0o666) == ALLOW
    for kind in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, stat.S_IFREG, stat.S_IFIFO | stat.S_ISUID):
        assert decide(watched, architecture, mknodat, 0, 0, kind | 0o666) == ERRNO | errno.EPERM
    for program in (alone, gpu):
        assert decide(program, architecture, mknodat, 0, 0, stat.S_IFIFO | 0o666) == ERRNO | errno.EPERM


DANGEROUS = (
    *("socket", "connect", "bind", "ptrace", "process_vm_readv", "process_vm_writev", "mount", "umount2", "chroot"),
    *("pivot_root", "unshare", "setns", "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "kexec_load"),
    *("init_module", "open_by_handle_at", "symlinkat", "linkat", "mknodat", "setuid", "sethostname", "reboot"),
    *("io_uring_setup", "memfd_create", "personality", "seccomp", "execveat", "sendmsg", "recvmsg", "clone3"),
)


NEEDED = {
    # In memory alone, and none of it can be started: there is no /proc.
    *((profile, "memfd_create") for profile in (Profile.COMPUTE, Profile.GPU, Profile.WATCHED)),
    # The driver's own, on descriptors that the process has: none is a socket that leads out.
    *((profile, name) for profile in (Profile.GPU, Profile.WATCHED) for name in ("connect", "bind", "sendmsg")),
    *((profile, name) for profile in (Profile.GPU, Profile.WATCHED) for name in ("recvmsg", "symlinkat", "linkat")),
    *((profile, "seccomp") for profile in (Profile.GPU, Profile.WATCHED)),
    # Under a debugger, in namespaces of its own. Nodes are pipes only.
    (Profile.WATCHED, "mknodat"),
    (Profile.WATCHED, "socket"),
    (Profile.WATCHED, "ptrace"),
}


@pytest.mark.skipif(not HEADER.is_file(), reason="no linux headers here (apt install linux-libc-dev)")
def test_numbers_are_linux_own() -> None:
    real = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR_(\w+) (\d+)", HEADER.read_text())}
    own = {**numbers("x86_64"), **{name: row[0] for name, row in ATTRIBUTES.items()}}
    # These headers may be older than a call.
    assert own == {
        name: real.get(name, number if (number or 0) > max(real.values()) else None) for name, number in own.items()
    }
    for name in DANGEROUS:
        for profile in Profile:
            program = filter_program(profile, "x86_64")
            allowed = decide(program, ARCHITECTURE["x86_64"], real[name]) == ALLOW
            assert not allowed or (profile, name) in NEEDED, (profile, name)
