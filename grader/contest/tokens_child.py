"""The process that tokenizes submissions for the search for near-copies; no other process parses them."""

from __future__ import annotations

import resource

from grader.contest.similarity import tokenize
from grader.sandbox.serving import Message, by_name, serve

MEMORY = 2 << 30


def tokens(text: str) -> Message:
    return {"tokens": [(token.text, token.line) for token in tokenize(text)]}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    serve(by_name(tokens))


if __name__ == "__main__":
    main()
