"""Files a report: records it in the workspace's store and writes its page, in a separate process.

SQLAlchemy and Jinja take half a second to load, which would delay the cases that the judge runs meanwhile. This is the
judge's side, which loads neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.errors import StoreError
from grader.sandbox.children import Child, ChildDied, ChildTimeout

if TYPE_CHECKING:
    from grader.core.report import Report
    from grader.store.workspace import Workspace

MODULE = "grader.boards.filing_child"
SECONDS = 120.0
"""Time limit for one answer; another writer may hold the store's lock for a while."""


@dataclass(frozen=True)
class Filed:
    """The submission's number and its page; `page` is None if it can't be written, and `remark` says why.

    `solved` are the user's problems and exercises, of an accepted submission.
    """

    number: int
    page: Path | None
    remark: str = ""
    solved: frozenset[str] = frozenset()


class Filing:
    """Files reports in one workspace. `begin` starts the process, `close` ends it; only filed reports are recorded.

    Methods raise StoreError or WorkspaceError for what can't be opened or recorded.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The process's id; None if there is none."""
        return None if self._child is None else self._child.pid

    def begin(self) -> None:
        """Starts the process, which loads its modules. The workspace is not touched."""
        self._child = Child(MODULE)

    def open(self) -> None:
        """Opens the store. Raises if `file` is bound to fail, so that nobody waits for what can't be recorded."""
        self._ask({"do": "open", "root": str(self._workspace.root)})

    def file(self, report: Report) -> Filed:
        """Records the report in the opened store and writes its page; if only the page fails, that is a remark."""
        from grader.core.report import to_json

        answer = self._ask({"do": "file", "report": to_json(report)})
        page = answer["page"]
        solved = frozenset(answer["solved"])
        return Filed(int(answer["number"]), None if page is None else Path(page), answer["remark"], solved)

    def close(self) -> None:
        if self._child is not None:
            self._child.close()

    def __enter__(self) -> Filing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._child is not None
        try:
            self._child.send(request)
            return self._child.receive(SECONDS)
        except (ChildDied, ChildTimeout) as error:
            raise StoreError(
                f"the report can't be recorded: {error.message}",
                error.hint or "type the same again; what has been recorded is listed by: kgrade history",
            ) from error
