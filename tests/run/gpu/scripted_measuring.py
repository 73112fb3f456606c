"""Stands in for the GPU's process: loads anything, and measures as the program's image says, such as "die"."""

from __future__ import annotations

import os
import signal
import time
from base64 import b64decode
from typing import Any

from grader.measure.samples import Timing, to_data
from grader.measure.statistics import Quad
from grader.sandbox.serving import child_connection, shared_memory

Message = dict[str, Any]
OUTPUTS = shared_memory()
QUAD = Quad((1e-5, 1e-5), None, (1900.0, 1901.0))


def measured(image: str, heard: list[str]) -> Message:
    """The answer to `measure`, after two outputs were kept; `heard` is what the judge said to them."""
    if image == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if image == "out of memory":
        os.kill(os.getpid(), signal.SIGKILL)
    if image == "hang":
        time.sleep(600)
    if image == "fault":
        return {"status": "fault", "fault": {"fault": "out_of_bounds", "message": "writes behind the end"}}
    if image == "too large":
        return {"error": "the arrays don't fit"}
    if image == "nonsense":
        return {"status": "done", "timing": {"quads": "many"}}
    return {"status": "done", "timing": to_data(Timing((QUAD,), throttled=tuple(heard)))}


def main() -> None:
    channel = child_connection()
    image = ""
    while True:
        try:
            request = channel.receive()
        except EOFError:
            return
        if request["do"] == "open":
            channel.send({})
        elif request["do"] == "load":
            image = b64decode(request["image"]).decode()
            channel.send({"kernels": [{"name": name} for name in request["symbols"]]})
        else:
            assert request["do"] == "measure" and request["sizes"] == {"N": 8}
            heard = []
            for replay in (4, 5):
                channel.send({"kept": {"replay": replay, "buffer_set": 1, "handle": None}})
                heard.append(channel.receive()["do"])
            channel.send(measured(image, heard))


if __name__ == "__main__":
    main()
