"""A database of contests of which some methods fail, once a test says so."""

from __future__ import annotations

from typing import Any

from grader.contest.database import Database


class FailingDatabase(Database):
    """What stands in `fails` under a method's name, that raises."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.fails: dict[str, BaseException] = {}
        super().__init__(*arguments, **options)

    def accounts(self, *arguments: Any, **options: Any) -> Any:
        self._meet("accounts")
        return super().accounts(*arguments, **options)

    def announce(self, *arguments: Any, **options: Any) -> Any:
        self._meet("announce")
        return super().announce(*arguments, **options)

    def submissions(self, *arguments: Any, **options: Any) -> Any:
        self._meet("submissions")
        return super().submissions(*arguments, **options)

    def submit(self, *arguments: Any, **options: Any) -> Any:
        self._meet("submit")
        return super().submit(*arguments, **options)

    def _meet(self, name: str) -> None:
        if name in self.fails:
            raise self.fails[name]
