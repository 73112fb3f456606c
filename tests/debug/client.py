"""A client of the protocol in a test's own process: requests over pipes, every message checked against the schema."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from grader.debug.framing import read_message, write_message
from grader.debug.launch import Launch, Recorder
from grader.debug.session import Session

Message = dict[str, Any]


class Client:
    """Sends requests and collects what comes back. `events` are those not yet taken."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self.reader, self.writer = reader, writer
        self.events: list[Message] = []
        self.all: list[Message] = []
        self._sent = 0

    def request(self, command: str, **arguments: Any) -> Message:
        """The whole response."""
        self._sent += 1
        message = {"seq": self._sent, "type": "request", "command": command, "arguments": arguments}
        write_message(self.writer, message)
        while True:
            answer = self.receive()
            if answer["type"] == "response":
                assert (answer["request_seq"], answer["command"]) == (self._sent, command)
                return answer
            self.events.append(answer)

    def ask(self, command: str, **arguments: Any) -> Any:
        """The body of a response that has to succeed."""
        answer = self.request(command, **arguments)
        assert answer["success"], answer
        return answer.get("body")

    def event(self, name: str) -> Any:
        """The body of the next event of this name; others before it are kept."""
        for at, one in enumerate(self.events):
            if one["event"] == name:
                return self.events.pop(at)["body"]
        while (message := self.receive()).get("event") != name:
            self.events.append(message)
        return message["body"]

    def receive(self) -> Message:
        message = read_message(self.reader)
        assert message is not None, "the adapter has gone"
        self.all.append(message)
        return message

    def launched(self, **arguments: Any) -> Any:
        """A session at its first stop."""
        self.ask("initialize", adapterID="kgrade")
        self.ask("launch", **arguments)
        self.event("initialized")
        return self

    def stack(self, thread: int) -> list[Message]:
        frames: list[Message] = self.ask("stackTrace", threadId=thread)["stackFrames"]
        return frames

    def variables(self, reference: int, **part: int) -> dict[str, Message]:
        return {each["name"]: each for each in self.ask("variables", variablesReference=reference, **part)["variables"]}


@contextmanager
def session(record: Recorder, given: Launch | None = None) -> Iterator[Client]:
    """A client and a session over pipes; in the end both streams are closed, and the session has to end by that."""
    to_server, to_client = os.pipe(), os.pipe()
    with (
        os.fdopen(to_server[0], "rb") as requests,
        os.fdopen(to_server[1], "wb") as sent,
        os.fdopen(to_client[0], "rb") as received,
        os.fdopen(to_client[1], "wb") as answers,
    ):
        server = threading.Thread(target=Session(requests, answers, record, given).serve)
        server.start()
        client = Client(received, sent)
        try:
            yield client
        finally:
            sent.close()
            server.join(10)
            assert not server.is_alive()
    check_schema(client.all)


def check_schema(messages: list[Message]) -> None:
    """Compares messages with the protocol's own JSON Schema, which debugpy brings; without it nothing is checked."""
    found = find_spec("debugpy")
    if found is None or found.origin is None:
        return
    from jsonschema import Draft4Validator

    path = "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
    schema = json.loads((Path(found.origin).parent / path).read_text())
    for message in messages:
        name = _definition(message, schema["definitions"])
        if name is not None:
            Draft4Validator({**schema, "$ref": f"#/definitions/{name}"}).validate(message)


def _definition(message: Message, definitions: dict[str, Any]) -> str | None:
    if message["type"] == "response" and not message["success"]:
        return "ErrorResponse"
    word = message.get("event") or message.get("command", "")
    name = word[:1].upper() + word[1:] + ("Event" if message["type"] == "event" else "Response")
    return name if name in definitions else None
