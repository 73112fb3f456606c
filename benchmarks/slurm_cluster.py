"""A cluster of Slurm on this machine alone, for trying `kgrade worker --slurm`: munged, slurmctld and slurmd as root.

python benchmarks/slurm_cluster.py COMMAND...    runs COMMAND with SLURM_CONF set, then ends the cluster
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
INSTALL = "apt-get install slurmctld slurmd slurm-client munge"
READY_SECONDS = 30.0

CONFIGURATION = """\
ClusterName=kgrade
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={controller}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def why_not() -> str:
    """What keeps this machine from running the cluster; empty if nothing does."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"{missing[0]} is not installed: {INSTALL}"
    return "" if os.geteuid() == 0 else "slurmd has to run as root"


@contextmanager
def open_cluster() -> Iterator[dict[str, str]]:
    """Runs the cluster; yields the environment for Slurm's commands."""
    with tempfile.TemporaryDirectory(prefix="kgrade-slurm-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "state").mkdir()
        configuration = folder / "slurm.conf"
        host = socket.gethostname().partition(".")[0]
        ports = {"controller": free_port(), "daemon": free_port()}
        processors = os.cpu_count() or 1
        configuration.write_text(CONFIGURATION.format(host=host, folder=folder, processors=processors, **ports))
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o600)
        environment = {**os.environ, "SLURM_CONF": str(configuration)}
        names = [f"--{each}-file={folder}/munge.{each}" for each in ("log", "pid", "seed", "key")]
        commands = [
            ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *names],
            ["slurmctld", "-D", "-f", str(configuration)],
            ["slurmd", "-D", "-f", str(configuration), "-N", host],
        ]
        running: list[subprocess.Popen[bytes]] = []
        try:
            for command in commands:
                log = (folder / f"{command[0]}.out").open("wb")
                running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
                log.close()
                time.sleep(0.5)
            wait_until_ready(environment, folder)
            yield environment
        finally:
            for process in reversed(running):
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def wait_until_ready(environment: dict[str, str], folder: Path) -> None:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        command = ["sinfo", "--noheader", "--format=%T"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.stdout.split() == ["idle"]:
            return
        time.sleep(0.2)
    said = "".join(path.read_text()[-1500:] for path in folder.glob("*.out"))
    raise RuntimeError(f"Slurm does not start: {done.stdout}{done.stderr}\n{said}")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def main() -> None:
    if reason := why_not():
        sys.exit(f"slurm_cluster: {reason}")
    with open_cluster() as environment:
        code = subprocess.run(sys.argv[1:] or ["sinfo"], env=environment, check=False).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()
