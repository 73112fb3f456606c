"""The process that tokenizes submissions for the search for near-copies; no other process parses them."""

from __future__ import annotations

import resource

from grader.compile.python_text import language_of
from grader.contest.similarity import tokenize, tokenize_python
from grader.core.verdict import LanguageName
from grader.sandbox.serving import Message, by_name, serve

MEMORY = 2 << 30


def tokens(text: str, python: bool) -> Message:
    return {
        "language": language_of(text) if python else LanguageName.CUDA.value,
        "tokens": [(token.text, token.line) for token in (tokenize_python if python else tokenize)(text)],
    }


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    serve(by_name(tokens))


if __name__ == "__main__":
    main()
