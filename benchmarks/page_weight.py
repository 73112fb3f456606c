"""What a browser fetches for its first look at a problem's page, in compressed bytes: the page, its scripts and styles.

    python benchmarks/page_weight.py                # gzip and brotli
    python benchmarks/page_weight.py --problem zip

The page itself is sent as it is: it holds secrets, which compression could reveal by its length. It ends with an error
where a first load takes more than is allowed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from grader.contest.database import Database
from grader.contest.listen import bound_socket, make_server
from grader.contest.practice import owner_of, publish_practice
from grader.contest.server import create_app
from grader.contest.settings import PRACTICE
from grader.store.workspace import Workspace

MOST = 150_000
"""The most bytes that a first load may take."""
ENCODINGS = ("gzip", "gzip, br")
"""What a browser says that it takes: old ones, and over http; and others."""
_FETCHED = re.compile(r'<(?:script[^>]* src|link[^>]* href)="([^"]+)"')


def first_load(client: httpx.Client, path: str, encoding: str) -> dict[str, int]:
    """The bytes of the body of the page at `path` and of each file that it names, by address."""
    page = client.get(path)
    page.raise_for_status()
    return {path: len(page.content)} | {
        address: _bytes_of(client, address, encoding) for address in dict.fromkeys(_FETCHED.findall(page.text))
    }


def _bytes_of(client: httpx.Client, address: str, encoding: str) -> int:
    with client.stream("GET", address, headers={"accept-encoding": encoding}) as answer:
        answer.raise_for_status()
        return sum(map(len, answer.iter_raw()))


@contextmanager
def practice_site(folder: Path) -> Iterator[str]:
    """The address of the practice of a new workspace, for programs of this user."""
    for name in ("problems", "submissions"):
        (folder / name).mkdir()
    workspace, database = Workspace(folder), Database(str(folder / "contests.db"))
    publish_practice(database, workspace)
    server = make_server(create_app(database, workspace, owner=owner_of(database, "me").id))
    with bound_socket("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            database.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", default="matmul")
    asked = parser.parse_args()
    path = f"/contests/{PRACTICE}/problems/{asked.problem}"
    with (
        tempfile.TemporaryDirectory() as name,
        practice_site(Path(name)) as address,
        httpx.Client(base_url=address, verify=False) as client,
    ):
        loads = {encoding: first_load(client, path, encoding) for encoding in ENCODINGS}
    print(f"{'':<24}" + "".join(f"{encoding:>12}" for encoding in ENCODINGS))
    for each in loads[ENCODINGS[0]]:
        print(f"{each.rpartition('/')[2]:<24}" + "".join(f"{loads[encoding][each]:>12,}" for encoding in ENCODINGS))
    totals = [sum(load.values()) for load in loads.values()]
    print(f"{'in all':<24}" + "".join(f"{total:>12,}" for total in totals))
    print(f"{'asked: at most':<24}" + f"{MOST:>12,}" * len(totals))
    return int(max(totals) > MOST)


if __name__ == "__main__":
    sys.exit(main())
