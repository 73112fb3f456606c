"""Caddy in front of a real server, as deploy/ and docs/hosting.md have it: sign-in, live events, limits by sender."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from .site_samples import SLUG, Hall, form_token, open_hall
from .test_serve_server import free_port

CADDY = shutil.which("caddy")
HOSTING = Path(__file__).parents[2] / "docs" / "hosting.md"

pytestmark = pytest.mark.skipif(CADDY is None, reason="Caddy is not installed: scripts/install-test-packages")


# A site without https has no certificate to make: by itself Caddy would put one of its own into the system's store.
CADDYFILE = """{
    admin off
    auto_https off
    skip_install_trust
}
http://127.0.0.1:PORT {
    reverse_proxy SERVER
}
"""


@contextmanager
def proxy(hall: Hall, folder: Path) -> Iterator[str]:
    """The address of a Caddy that passes on to the hall. It keeps nothing outside of `folder`."""
    port, file = free_port(), folder / "Caddyfile"
    address = f"http://127.0.0.1:{port}"
    file.write_text(CADDYFILE.replace("PORT", str(port)).replace("SERVER", hall.address.removeprefix("http://")))
    words = [str(CADDY), "run", "--adapter", "caddyfile", "--config", str(file)]
    places = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with subprocess.Popen(words, env=places, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until and process.poll() is None:
                with suppress(httpx.TransportError):
                    httpx.get(f"{address}/sign-in")
                    break
                time.sleep(0.1)
            yield address
        finally:
            process.kill()


def test_behind_a_proxy_pages_and_live_events_are_as_without(tmp_path: Path) -> None:
    with (
        open_hall(tmp_path / "hall") as hall,
        proxy(hall, tmp_path) as address,
        httpx.Client(base_url=address, timeout=20) as browser,
    ):
        page = browser.get("/sign-in/link-of-ada")
        answer = browser.post("/sign-in", data={"csrf": form_token(page.text), "token": "link-of-ada"})
        assert (answer.status_code, answer.headers["location"]) == (303, f"/contests/{SLUG}")
        # The command that students are shown has the proxy's address.
        assert f"kgrade login {address}" in browser.get(f"/contests/{SLUG}").text
        number = hall.submit("ada")
        with browser.stream("GET", f"/contests/{SLUG}/submissions/{number}/events") as events:
            lines = events.iter_lines()
            # Nothing is held back: this comes while the submission still waits.
            assert next(lines) == "event: progress"
            with hall.judging_one():
                assert any(line == "event: done" for line in lines)


def test_the_proxys_file_in_the_documentation_is_valid(tmp_path: Path) -> None:
    found = re.search(r"^    grader\.example\.org \{\n(?:     .*\n)+    \}\n", HOSTING.read_text(), re.MULTILINE)
    assert found is not None
    file = tmp_path / "Caddyfile"
    file.write_text(found[0])
    words = [str(CADDY), "validate", "--adapter", "caddyfile", "--config", str(file)]
    places = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    done = subprocess.run(words, env=places, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Valid configuration" in done.stdout + done.stderr
