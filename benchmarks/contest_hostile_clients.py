"""Measures how long others wait for `GET /` while clients send a server the worst bodies that we know.

    python benchmarks/contest_hostile_clients.py                     # ten clients, 30 seconds
    python benchmarks/contest_hostile_clients.py --clients 2 --seconds 5

The server is a process that listens on this machine's own address; nothing else is asked. Each hostile client has an
account, sends one body after the other without a pause, and looks at the pages of what it sent; half of them send heads
and bodies that end slowly or never. Load and server share the machine, the load at a lower priority. It ends with an
error where the 99th percentile is above the limit, and where the server has given up.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import multiprocessing
import os
import re
import socket
import statistics
import sys
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path

import httpx

from grader.contest.auth import hash_token
from grader.contest.database import Database
from grader.contest.listen import bound_socket, make_server
from grader.contest.records import NewAccount
from grader.contest.server import create_app
from grader.contest.settings import ContestProblem, Settings, settings_to_json
from grader.store.workspace import Workspace

SLUG, PROBLEM = "hostile", "zip"
LIMIT = 0.250
PER_HOUR = 10_000
"""High enough that nothing is refused by the rate limit: the server has to handle everything."""
PAUSE = 0.02
"""Seconds between two requests for the start page."""
KERNEL = (
    "__global__ void zip_kernel(const float* a, const float* b, float* output, int N) "
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) output[i] = a[i] + b[i]; }\n"
)
MEBI = 1 << 20


def sources() -> dict[str, str]:
    """Texts on which a parser, a lexer or a page was very slow."""
    return {
        "comment openers": KERNEL + 'inline const char* f() { return "' + "/* " * 80_000 + '"; }\n',
        "launches": "cudaStreamNonBlocking\n" + "<<< " * 60_000,
        "templates": "a<" * 120_000,
        "empty lines": "\n" * 250_000 + KERNEL,
        "macros": "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(8_000)),
        "parentheses": "(" * 250_000,
        "backslashes": "#define X " + "\\\n" * 120_000,
        "control characters": "\x01" * 40_000 + KERNEL,
        "one token a character": "+-" * 120_000,
        "quotes": "\"'" * 120_000,
    }


def bodies() -> dict[str, tuple[str, bytes]]:
    """Bodies sent to the API, by name: content type and content."""
    as_json = "application/json"
    found = {
        f"source of {name}": (
            as_json,
            json.dumps({"problem": PROBLEM, "file": "x.cu", "source": text}).encode(),
        )
        for name, text in sources().items()
    }
    field = b'{"problem":"zip","file":"x.cu","source":'
    found |= {
        "escapes": (as_json, field + b'"' + b"\\u0041" * 170_000 + b'"}'),
        "deep JSON": (as_json, field + b"[" * 1_000_000),
        "many lists": (as_json, field + b"[" + b"[]," * 340_000 + b"[]]}"),
        "many fields": (as_json, b"{" + b",".join(b'"k%d":0' % n for n in range(80_000)) + b"}"),
        "a long number": (as_json, field + b"9" * 1_000_000 + b"}"),
        "blanks": (as_json, b" " * 1_000_000 + b"{}"),
        "not UTF-8": (as_json, b"\xff" * 1_000_000),
    }
    return found


def forms() -> dict[str, tuple[str, bytes]]:
    """Forms sent to pages, by name: content type and content."""
    plain, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    head = b'--x\r\nContent-Disposition: form-data; name="source"\r\n'
    return {
        "many plain fields": (plain, b"a&" * 500_000),
        "percent signs": (plain, b"source=" + b"%41" * 340_000),
        "many parts": (parts, part * 19_000 + b"--x--\r\n"),
        "many heads": (parts, head + b"a: b\r\n" * 160_000 + b"\r\n\r\n--x--\r\n"),
        "carriage returns": (parts, head + b"\r\n" + b"\r" * 1_000_000 + b"\r\n--x--\r\n"),
        "nearly boundaries": (parts, head + b"\r\n" + b"\r\n--" * 250_000 + b"\r\n--x--\r\n"),
        "no end": (parts, head + b"\r\n" + b"x" * 1_000_000),
    }


def raw_requests() -> dict[str, bytes]:
    """Raw data sent over a connection, by name."""
    return {
        "many headers": b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a:\r\n" * 60_000 + b"\r\n",
        "a long header": b"GET / HTTP/1.1\r\nhost: x\r\na: " + b"x" * 1_000_000 + b"\r\n\r\n",
        "many cookies": b"GET / HTTP/1.1\r\nhost: x\r\ncookie: " + b"a=b;" * 7_000 + b"\r\n\r\n",
        "many requests at once": b"GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n" * 50,
        "many chunks": b"POST /sign-in HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        + b"1\r\nx\r\n" * 60_000,
        "a body that never ends": b"POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nx",
        "a body beyond the limit": b"POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n"
        + b"x" * MEBI,
        "a query": b"GET /?" + b"a=b&" * 1_900 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    }


def prepare(folder: Path, clients: int) -> str:
    for name in ("problems", "submissions"):
        (folder / name).mkdir()
    url = str(folder / "contests.db")
    database = Database(url)
    now = database.now()
    settings = Settings(
        slug=SLUG,
        title="Hostile",
        problems=(ContestProblem(PROBLEM),),
        start=now - timedelta(days=1),
        end=now + timedelta(days=1),
        per_hour=PER_HOUR,
    )
    database.add_contest(SLUG, settings_to_json(settings), who="benchmark")
    people = [
        NewAccount(f"student {n}", token_hash=hash_token(f"token-{n}"), link_hash=hash_token(f"link-{n}"))
        for n in range(clients)
    ]
    database.add_accounts(SLUG, people, who="benchmark")
    database.close()
    return url


def serve(folder: Path, url: str, listening: socket.socket) -> None:
    make_server(create_app(Database(url), Workspace(folder))).run([listening])


def requests_of(port: int, number: int) -> list[bytes]:
    """The requests of one hostile client, each for a separate connection, made in advance."""
    if number % 2:
        return list(raw_requests().values())
    cookie, form_token = sign_in(port, number)
    page = f"/contests/{SLUG}/problems/{PROBLEM}"
    found = []
    for kind, content in bodies().values():
        found.append(request("POST", "/api/submissions", f"authorization: Bearer token-{number}", kind, content))
        found += [request("GET", page, cookie), request("GET", f"/contests/{SLUG}/submissions", cookie)]
        # Of those whose turn it was there is one that is this account's.
        found += [request("GET", f"/contests/{SLUG}/submissions/{n}", cookie) for n in range(1, 12)]
    for kind, content in forms().values():
        found.append(request("POST", page, cookie, kind, content))
        found.append(request("POST", "/sign-in", cookie, kind, content))
    source = f"csrf={form_token}&source=x".encode()
    return [*found, request("POST", page, cookie, "application/x-www-form-urlencoded", source)]


def request(method: str, path: str, who: str, kind: str = "", content: bytes = b"") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{who}\r\n"
    if method == "POST":
        head += f"content-type: {kind}\r\ncontent-length: {len(content)}\r\n"
    return f"{head}\r\n".encode() + content


def sign_in(port: int, number: int) -> tuple[str, str]:
    """The cookie's header, and the token of forms."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as browser:
        page = browser.get(f"/sign-in/link-{number}").text
        data = {"token": f"link-{number}", "csrf": _form_token(page)}
        answer = browser.post("/sign-in", data=data)
        page = browser.get(answer.headers["location"]).text
        session = re.search(r"kgrade_session=([^;]+)", answer.headers["set-cookie"])
        assert session is not None
        return f"cookie: kgrade_session={session[1]}", _form_token(page)


def _form_token(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def send(port: int, data: bytes, seconds: float = 60.0) -> bytes:
    """Sends data and returns the answer until the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as raw:
        raw.sendall(data)
        return b"".join(iter(lambda: raw.recv(1 << 16), b""))


def attack(port: int, number: int, until: float) -> None:
    """One hostile client: one request after the other until that moment."""
    # Real clients don't use the server's processors.
    os.nice(10)
    for data in itertools.cycle(requests_of(port, number)):
        if time.time() > until:
            return
        # Refusing, hanging up and delaying is what the server should do.
        with contextlib.suppress(OSError):
            send(port, data, 2.0)


def look(port: int, until: float, times: list[float]) -> None:
    """Asks for the start page again and again, each time over a connection of its own."""
    asked = request("GET", "/", "accept: text/html")
    while time.time() < until:
        began = time.perf_counter()
        if not send(port, asked).startswith(b"HTTP/1.1 200"):
            raise SystemExit("the start page is no page any more")
        times.append(time.perf_counter() - began)
        time.sleep(PAUSE)


def measure(clients: int, seconds: float) -> list[float]:
    """Seconds of each `GET /` of a harmless client."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="hostile-") as name, contextlib.ExitStack() as opened:
        url = prepare(Path(name), clients)
        listening = opened.enter_context(bound_socket("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = context.Process(target=serve, args=(Path(name), url, listening), daemon=True)
        server.start()
        opened.callback(server.join)
        opened.callback(server.kill)
        look(port, time.time() + 2, [])
        until = time.time() + 3 + seconds
        hostile = [context.Process(target=attack, args=(port, n, until), daemon=True) for n in range(clients)]
        for process in hostile:
            process.start()
            opened.callback(process.join)
            opened.callback(process.kill)
        # They load their programs first.
        time.sleep(3)
        times: list[float] = []
        looking = threading.Thread(target=look, args=(port, until, times))
        looking.start()
        looking.join()
        if server.exitcode is not None:
            raise SystemExit(f"the server has ended with {server.exitcode}")
    return times


def figures(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {"p50": cuts[49], "p99": cuts[98], "max": max(times)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    times = measure(asked.clients, asked.seconds)
    found = figures(times)
    shown = "   ".join(f"{name} {value * 1e3:6.1f} ms" for name, value in found.items())
    print(f"{asked.clients} hostile clients, {asked.seconds:.0f} s, {os.cpu_count()} cores")
    print(f"GET /  {len(times):,}   {shown}")
    return found["p99"] > LIMIT


if __name__ == "__main__":
    sys.exit(main())
