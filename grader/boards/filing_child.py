"""The process that files reports: it has the workspace's store open and runs no code of submissions."""

from __future__ import annotations

from pathlib import Path

from grader.boards.best import best_beside
from grader.boards.pages import load_report_page, write_report
from grader.core.errors import KgradeError
from grader.core.report import Report, from_json
from grader.core.verdict import Verdict
from grader.sandbox.serving import Message, by_name, child_connection, serve
from grader.store.database import Store
from grader.store.workspace import Workspace


class Filer:
    """Answers the judge's requests, one at a time."""

    def __init__(self) -> None:
        self._workspace: Workspace | None = None
        self._store: Store | None = None
        self._operate = by_name(self.open, self.file)

    def answer(self, request: Message) -> Message:
        return self._operate(request)

    def open(self, root: str) -> Message:
        self._workspace = Workspace(Path(root))
        self._store = Store(self._workspace.database)
        self._store.check_writable()
        load_report_page(self._workspace.template_folders)
        return {}

    def file(self, report: str) -> Message:
        assert self._store is not None
        filed = from_json(report)
        number = self._store.add(filed)
        solved = sorted(self._store.solved(filed.user)) if filed.verdict is Verdict.ACCEPTED else []
        answer: Message = {"number": number, "page": None, "remark": "", "solved": solved}
        try:
            return {**answer, "page": str(self._write_page(filed, number))}
        except KgradeError as error:
            return {**answer, "remark": f"{error.message}\n  {error.hint}"}

    def _write_page(self, report: Report, number: int) -> Path:
        assert self._workspace is not None
        assert self._store is not None
        path = self._workspace.report_page(number)
        write_report(report, path, self._workspace.template_folders, beside=best_beside(self._store, number))
        return path


if __name__ == "__main__":
    channel = child_connection()
    serve(Filer().answer, channel)
