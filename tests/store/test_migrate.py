"""Opening a database: new, old, newer than this kgrade, damaged, or of somebody else."""

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import grader.store
from grader.core.errors import StoreError
from grader.core.report import Interval, Mend, Modelled, ModelSize
from grader.core.verdict import LanguageName
from grader.machine.own_install import upgrade_command
from grader.store.connect import open_engine
from grader.store.database import Store
from grader.store.schema import HEAD, Base, Submission

from .writer import ROOT, make_report

MODEL = tuple(column.name for column in Submission.__table__.columns if column.name.startswith("model_"))
MIGRATIONS = Path(grader.store.__file__).with_name("migrations")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "100% odd name?#.db"
    Store(path).add(make_report())
    return path


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_the_migrations_make_the_tables_of_the_schema(database: Path) -> None:
    with open_engine(database, read_only=False).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_settings_that_keep_records_safe(database: Path) -> None:
    with open_engine(database, read_only=False).connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}


def test_opening_a_current_database_does_not_import_alembic(database: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from grader.store.database import Store; "
        "print(len(Store(Path(sys.argv[1])).summaries()), 'alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(database)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "False"]


def test_a_newer_layout_is_refused(database: Path) -> None:
    change(database, "UPDATE alembic_version SET version_num = '9999'")
    before = database.read_bytes()
    with pytest.raises(StoreError, match=r"newer kgrade.*'9999'") as caught:
        Store(database)
    assert upgrade_command() in caught.value.hint
    assert database.read_bytes() == before


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "kgrade.db"
    path.touch()
    assert Store(path).add(make_report()) == 1


def test_a_database_of_before_scores_had_intervals_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "kgrade.db"
    report = make_report(score=0.25)
    Store(path).add(report)
    for column in ("score_low", "score_high", "language", "mend", "mend_tokens", *MODEL):
        change(path, f"ALTER TABLE submissions DROP COLUMN {column}")
    change(path, "UPDATE alembic_version SET version_num = '0001'")
    store = Store(path)
    (entry,) = store.entries()
    assert (entry.report, entry.score, entry.score_low, entry.score_high) == (report, 0.25, None, None)
    assert store.add(report) == 2
    with open_engine(path, read_only=False).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_what_was_recorded_before_there_were_languages_is_cuda(tmp_path: Path) -> None:
    path = tmp_path / "kgrade.db"
    Store(path).add(make_report())
    for column in ("language", "mend", "mend_tokens", *MODEL):
        change(path, f"ALTER TABLE submissions DROP COLUMN {column}")
    change(path, "UPDATE reports SET json = json_remove(json, '$.language')")
    change(path, "UPDATE alembic_version SET version_num = '0002'")
    store = Store(path)
    store.add(make_report(language=LanguageName.TRITON))
    assert [entry.language for entry in store.summaries()] == [LanguageName.CUDA, LanguageName.TRITON]
    assert [entry.report.language for entry in store.entries()] == [LanguageName.CUDA, LanguageName.TRITON]


def test_what_was_recorded_before_there_were_exercises_mends_none(tmp_path: Path) -> None:
    path = tmp_path / "kgrade.db"
    Store(path).add(make_report())
    for column in ("mend", "mend_tokens", *MODEL):
        change(path, f"ALTER TABLE submissions DROP COLUMN {column}")
    change(path, "UPDATE reports SET json = json_remove(json, '$.mend')")
    change(path, "UPDATE alembic_version SET version_num = '0003'")
    store = Store(path)
    assert store.entries()[0].report == make_report() and store.mends("ada") == {}
    for tokens in (7, 4, 5):
        store.add(make_report(user="ada", mend=Mend("second-barrier", tokens, 4)))
    assert store.mends("ada") == {"zip/second-barrier": 4} and store.mends("grace") == {}


def test_what_was_recorded_before_there_were_model_times_has_none(tmp_path: Path) -> None:
    path = tmp_path / "kgrade.db"
    Store(path).add(make_report())
    for column in MODEL:
        change(path, f"ALTER TABLE submissions DROP COLUMN {column}")
    change(path, "UPDATE reports SET json = json_remove(json, '$.model')")
    change(path, "UPDATE alembic_version SET version_num = '0004'")
    store = Store(path)
    assert store.entries()[0].report == make_report() and store.summaries()[0].model_score is None
    sizes = (
        ModelSize({"N": 1000}, Interval(2e-6, 1e-6, 3e-6), "DRAM", 0.5),
        ModelSize({"N": 2000}, Interval(4e-6, 2e-6, 6e-6), "L2", 0.5),
    )
    model = Modelled("H200", "", "1-abc", sizes, 0.5)
    store.add(make_report(model=model))
    store.add(make_report(model=replace(model, sizes=sizes[:1], score=None, why_not="no \0 model")))
    _, known, unknown = store.entries()
    assert known.report.model == model and (known.model_gpu, known.model_revision) == ("H200", "1-abc")
    assert known.model_score == 0.5 and known.model_note is None
    assert known.model_time is not None and (known.model_time.low, known.model_time.high) == (3e-6, 9e-6)
    assert (unknown.model_score, unknown.model_time, unknown.model_note) == (None, None, "no ? model")


def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kgrade.db"
    change(path, "CREATE TABLE reports (mine TEXT)")
    with pytest.raises(StoreError, match="reports already exists"):
        Store(path)
    connection = sqlite3.connect(path)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    assert tables == [("reports",)]


@pytest.mark.parametrize("content", [b"no database at all, " * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kgrade.db"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Store(path).add(make_report())
    assert f"{path} is damaged" in caught.value.message
    assert caught.value.hint.endswith(f"mv {path} {path}.damaged")
    assert path.read_bytes() == content


def test_damage_inside_is_found_when_it_is_read(database: Path) -> None:
    content = bytearray(database.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    database.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        Store(database).entries()


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="can't be written") as caught:
        Store(tmp_path).add(make_report())
    assert "kgrade new DIR" in getattr(caught.value, "hint", "")
