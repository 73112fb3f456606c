"""Stands in for the GPU's process: asks the judge for the plans of two buffer sets, and tells what it heard."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from grader.measure.samples import Timing, to_data
from grader.measure.statistics import Quad
from grader.run.handover import Outputs
from grader.sandbox.serving import child_connection, shared_memory

OUTPUTS = Outputs(shared_memory())
FAULT = {"status": "fault", "fault": {"fault": "out_of_bounds", "message": "the first stops", "kernel": "_Z5firstv"}}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    if request["do"] == "allocate":
        return {"address": 4096 if request["size"] < 100 else None}
    if request["do"] == "symbol":
        return {"address": None}
    if request["steps"]:
        return FAULT
    return {"data": OUTPUTS.hand_over([("data", np.arange(request["size"], dtype=np.uint8))])["data"]}


def main() -> None:
    channel = child_connection()
    rehearsals = []
    while True:
        try:
            request = channel.receive()
        except EOFError:
            return
        if request["do"] == "open":
            channel.send({})
        elif request["do"] == "rehearse":
            rehearsals.append(request)
            channel.send({})
        elif request["do"] == "load":
            channel.send({"kernels": [{"name": name, "registers": len(rehearsals)} for name in request["symbols"]]})
        elif request["do"] in ("allocate", "symbol", "read"):
            channel.send(answer(request))
        else:
            heard = []
            for number in range(2):
                channel.send({"record": {"set": number, "addresses": {"input": 512 * number}}})
                while (told := channel.receive())["do"] not in ("replay", "refuse"):
                    channel.send(answer(told))
                heard.append(json.dumps(told))
            quad = Quad((1e-5, 1e-5), None, (1900.0, 1901.0))
            channel.send({"status": "done", "timing": to_data(Timing((quad,), throttled=tuple(heard)))})


if __name__ == "__main__":
    main()
