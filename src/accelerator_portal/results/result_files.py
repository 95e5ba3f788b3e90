"""The archive of results in `data/history`: Parquet files, their list, and their rows.

The folders are named as Hive names them, so that every engine reads them, with percent-encoded
values. The first folder is `runs` or `baselines`:

    data/history/runs/results/accelerator=cpu/suite=op-db/month=2026-11/….parquet

`data/history/cpu.sha256` lists the files of an accelerator with their SHA-256 checksums, in the
format of `sha256sum`, below their number. A file is written before it is listed, and deleted after
it is no longer listed: a command that was interrupted leaves at most files that the list lacks.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import quote, unquote

from filelock import FileLock, Timeout
from pydantic import TypeAdapter

from accelerator_portal.catalog.catalog import HISTORY as HISTORY  # noqa: PLC0414 - part of the layout, too
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.history import RESULT_KINDS, HistoryPoint, ResultKind
from accelerator_reports.file_reading import file_error, read_bytes
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.text_file import (
    remove_leftovers,
    write_bytes_atomically,
    write_text_atomically,
)
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report
from accelerator_reports.test_ids import identity_of, parse_key

if TYPE_CHECKING:
    import pyarrow as pa

# Converts a report to rows of the archive of results, and such a row to the report's facts.
#
# Each row is the result of one test in one report. A row without an outcome says that a complete
# report lacks a test that earlier reports have: the test is gone.

ColumnType = Literal["text", "moment", "number"]


class ResultColumn(NamedTuple):
    """A column of the results; `meaning` describes it to readers."""

    name: str
    type: ColumnType
    meaning: str
    required: bool = False
    """Whether every row has a value."""


COLUMNS = (
    ResultColumn("key", "text", "The test: suite, name, parameters", required=True),
    ResultColumn("started", "moment", "When the report started, in UTC", required=True),
    ResultColumn("report", "text", "The report’s ID", required=True),
    ResultColumn("name", "text", "The test’s name within its suite", required=True),
    ResultColumn("parameters", "text", "All parameters, as they are in the key"),
    ResultColumn("mode", "text", "The parameter mode: inference or training"),
    ResultColumn("dtype", "text", "The parameter dtype"),
    ResultColumn("compiler", "text", "The parameter compiler"),
    ResultColumn("outcome", "text", "The test’s outcome; absent if the test was removed"),
    ResultColumn("stage", "text", "The stage that the test reached"),
    ResultColumn("seconds", "number", "How long the test took"),
    ResultColumn("kind", "text", "Who ran the test, such as self-reported", required=True),
    ResultColumn("trigger", "text", "What triggered the run", required=True),
    ResultColumn("commit", "text", "The upstream commit that was tested"),
    ResultColumn("torch", "text", "PyTorch’s version"),
    ResultColumn("torch_commit", "text", "The commit that PyTorch was built from"),
    ResultColumn("plugin", "text", "The plugin’s name"),
    ResultColumn("plugin_version", "text", "The plugin’s version"),
    ResultColumn("plugin_commit", "text", "The commit that the plugin was built from"),
    ResultColumn("driver", "text", "The driver’s version"),
    ResultColumn("os", "text", "The operating system"),
    ResultColumn("arch", "text", "The processor architecture"),
    ResultColumn("python", "text", "Python’s version"),
    ResultColumn("hardware", "text", "The model of the device"),
    ResultColumn("details", "text", "Other facts about the report, such as packages, as JSON"),
)
"""The columns of the files. Accelerator, suite and month are not columns: they are in the names of
the folders that contain the files."""

DUCKDB_TYPES = {"text": "VARCHAR", "moment": "TIMESTAMP WITH TIME ZONE", "number": "DOUBLE"}

DUCKDB_COLUMNS = [(column.name, DUCKDB_TYPES[column.type]) for column in COLUMNS]
"""The names of the columns and their types in DuckDB."""

SORTED_BY = ("key", "started", "report")
"""The columns by which the rows of a file are sorted."""

_ENVIRONMENT_COLUMNS = ("torch", "torch_commit", "driver", "os", "arch", "python", "hardware")

REPORT_COLUMNS = ("report", *(c.name for c in COLUMNS[[c.name for c in COLUMNS].index("kind") :]))
"""The columns that are the same in all rows of a report, without `started`."""

# Environment fields that were added to the format after reports had been archived under their ids.
# If absent, they are left out of the digest, so that these reports keep their ids.
_FIELDS_ADDED_LATER = ("backend", "locks")

_POINTS = TypeAdapter(HistoryPoint)


def arrow_schema() -> pa.Schema:
    """Return the Arrow schema of the files."""
    import pyarrow as pa

    types = {"text": pa.string(), "moment": pa.timestamp("us", tz="UTC"), "number": pa.float64()}
    return pa.schema([pa.field(c.name, types[c.type], nullable=not c.required) for c in COLUMNS])


def sorted_rows(table: pa.Table) -> pa.Table:
    """Return the table with its rows sorted by `SORTED_BY`."""
    return table.sort_by([(name, "ascending") for name in SORTED_BY])


def history_point(report: Report, path: Path) -> HistoryPoint:
    """Return the facts about a report that a history needs, such as its id and start time.

    Raises ProblemsError if the report has no start time or contains a test twice. The error names
    the report file `path`.
    """
    if report.started is None:
        raise file_error(path, 1, "the report has no start time", "add started")
    keys = Counter(identity_of(test).key for test in report.tests)
    if repeated := sorted(key for key, number in keys.items() if number > 1):
        more = f" (and {count(len(repeated) - 1, 'more test')})" if len(repeated) > 1 else ""
        what = f'"{repeated[0]}" is listed twice in the report{more}'
        raise file_error(path, 1, what, "remove one, or add what differs")
    origins = dict.fromkeys((origin.repository, origin.commit) for origin in report.origins)
    return HistoryPoint(
        _report_id(report, report.started),
        report.started,
        report.kind,
        report.trigger,
        report.environment,
        tuple(origins),
    )


def _report_id(report: Report, started: dt.datetime) -> str:
    head = report.model_dump(mode="json", include={"accelerator", "kind", "trigger", "environment"})
    for name in _FIELDS_ADDED_LATER:
        if not head["environment"][name]:
            del head["environment"][name]
    head["started"] = started.isoformat()
    head["planned"] = sorted((suite.name, suite.planned) for suite in report.suites)
    lines = (f"{identity_of(test).key} {test.outcome} {test.stage}" for test in report.tests)
    text = "\n".join([json.dumps(head, sort_keys=True), *sorted(lines)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def result_tables(report: Report, point: HistoryPoint, gone: Iterable[str]) -> dict[str, pa.Table]:
    """Return a table of rows for each suite of a report, by name of the suite.

    `gone` has the keys of the tests that the report should contain but does not.
    """
    import pyarrow as pa

    report_cells = _report_cells(point)
    rows: dict[str, list[dict[str, object]]] = {}
    for test in report.tests:
        cells = {"outcome": test.outcome, "stage": test.stage, "seconds": test.duration_s}
        row = report_cells | _test_cells(identity_of(test).key) | cells
        rows.setdefault(test.suite, []).append(row)
    for key in gone:
        rows[parse_key(key).suite].append(report_cells | _test_cells(key))
    schema = arrow_schema()
    return {
        suite: sorted_rows(pa.Table.from_pylist(suite_rows, schema=schema))
        for suite, suite_rows in rows.items()
    }


def _test_cells(key: str) -> dict[str, object]:
    identity = parse_key(key)
    parameters = dict(identity.parameters)
    return {
        "key": key,
        "name": identity.name,
        "parameters": key.partition("?")[2] or None,
        **{name: parameters.get(name) for name in ("mode", "dtype", "compiler")},
    }


def _report_cells(point: HistoryPoint) -> dict[str, object]:
    """Return the values of the columns that are the same in all rows of a report.

    `details` has the facts of `point` that have no column.
    """
    trigger = point.trigger.model_dump(mode="json", exclude_defaults=True)
    environment = point.environment.model_dump(mode="json", exclude_defaults=True)
    plugin = environment.pop("plugin", {})
    cells = {
        "report": point.id,
        "started": point.started,
        "kind": point.kind,
        "trigger": trigger.pop("kind"),
        "commit": trigger.pop("commit", None),
        "plugin": plugin.get("name"),
        "plugin_version": plugin.get("version"),
        "plugin_commit": plugin.get("commit"),
        **{name: environment.pop(name, None) for name in _ENVIRONMENT_COLUMNS},
    }
    details = {"trigger": trigger, "environment": environment, "origins": point.origins}
    known = {name: value for name, value in details.items() if value}
    return cells | {"details": json.dumps(known, sort_keys=True) if known else None}


def point_of_row(row: Mapping[str, Any], started: dt.datetime) -> HistoryPoint:
    """Return the facts about a report from one of its rows: the inverse of `result_tables`.

    `row` has the values of `REPORT_COLUMNS`. Raises ValueError if a value is invalid.
    """
    details = json.loads(row["details"] or "{}")
    environment = {name: row[name] for name in _ENVIRONMENT_COLUMNS}
    if row["plugin"] is not None:
        names = {"name": "plugin", "version": "plugin_version", "commit": "plugin_commit"}
        environment["plugin"] = {name: row[column] for name, column in names.items()}
    trigger = {"kind": row["trigger"], "commit": row["commit"]}
    facts = {
        "id": row["report"],
        "started": started,
        "kind": row["kind"],
        "trigger": trigger | details.get("trigger", {}),
        "environment": environment | details.get("environment", {}),
        "origins": details.get("origins", ()),
    }
    return _POINTS.validate_python(facts)


ROWS_PER_GROUP = 16_384
"""The maximum number of rows in a Parquet row group. A reader of one test loads one group, about
100 kB."""

_LINE = re.compile(
    rf"([0-9a-f]{{64}})  (({'|'.join(RESULT_KINDS)})"
    r"/results/accelerator=([^/=]+)/suite=([^/=]+)/month=(\d{4}-\d{2})/[^/]+\.parquet)"
)

_RESTORE = "restore it from the repository's history"


class Partition(NamedTuple):
    """The results of the runs or baselines of an accelerator, suite and month (in UTC)."""

    kind: ResultKind
    accelerator: str
    suite: str
    month: str

    @property
    def folder(self) -> str:
        """The folder of the files, relative to `data/history`."""
        accelerator, suite = quote(self.accelerator, ""), quote(self.suite, "")
        return f"{self.kind}/results/accelerator={accelerator}/suite={suite}/month={self.month}"


class ResultFile(NamedTuple):
    """A Parquet file with results of a partition; `path` is relative to `data/history`."""

    path: str
    sha256: str
    partition: Partition


def list_path(root: Path, accelerator: str) -> Path:
    """Return the path of the list of an accelerator's files."""
    return root / HISTORY / f"{accelerator}.sha256"


def listed_files(root: Path, accelerator: str) -> tuple[ResultFile, ...]:
    """Return the files of an accelerator that its list has, sorted by path.

    The result is empty if nothing is archived. Raises ProblemsError if the list is damaged, or if
    it is missing although there are files.
    """
    path = list_path(root, accelerator)
    relative_path = path.relative_to(root).as_posix()
    if not path.exists():
        if any(_parquet_files(root, accelerator)):
            raise ProblemsError([Problem(relative_path, 1, "file not found", _RESTORE)])
        return ()
    header, *lines = read_bytes(path).decode("utf-8", "replace").split("\n")[:-1] or [""]
    if header != _header(len(lines)):
        what = "the list is damaged: its first line is not the number of its files"
        raise ProblemsError([Problem(relative_path, 1, what, _RESTORE)])
    files: list[ResultFile] = []
    for number, line in enumerate(lines, 2):
        match = _LINE.fullmatch(line)
        if match is None or unquote(match[4]) != accelerator:
            what = f'this is not a checksum and a file of results of "{accelerator}"'
            raise ProblemsError([Problem(relative_path, number, what, _RESTORE)])
        kind: ResultKind = "runs" if match[3] == "runs" else "baselines"
        partition = Partition(kind, accelerator, unquote(match[5]), match[6])
        files.append(ResultFile(match[2], match[1], partition))
    return tuple(files)


def write_list(root: Path, accelerator: str, files: Iterable[ResultFile]) -> None:
    """Write the list of an accelerator's files. Raises OSError if writing fails."""
    lines = [f"{file.sha256}  {file.path}" for file in sorted(files)]
    text = "\n".join([_header(len(lines)), *lines, ""])
    write_text_atomically(list_path(root, accelerator), text)


def _header(files: int) -> str:
    """Return the first line of a list: a comment for `sha256sum`. A shortened list differs."""
    return f"# files: {files}"


def file_damage(root: Path, file: ResultFile) -> Problem | None:
    """Return how a file differs from its entry in the list; None if they agree."""
    path = root / HISTORY / file.path
    relative_path = path.relative_to(root).as_posix()
    try:
        if not path.is_file():
            what = "file not found"
        elif hashlib.sha256(read_bytes(path)).hexdigest() != file.sha256:
            checksums = list_path(root, file.partition.accelerator).relative_to(root).as_posix()
            what = f"the file was changed; its SHA-256 checksum differs from {checksums}"
        else:
            return None
    except ProblemsError as error:
        return error.at(relative_path).problems[0]
    return Problem(relative_path, 1, what, _RESTORE)


def _invalid_file(file: ResultFile) -> Problem:
    return Problem(f"{HISTORY}/{file.path}", 1, "this is not a valid file of results", _RESTORE)


def intact_files(root: Path, accelerator: str, kind: ResultKind) -> tuple[Path, ...]:
    """Return the paths of an accelerator's files of runs or baselines, after checking the files.

    Raises ProblemsError if the list or a file is missing or damaged.
    """
    files = [file for file in listed_files(root, accelerator) if file.partition.kind == kind]
    if damage := [problem for file in files if (problem := file_damage(root, file))]:
        raise ProblemsError(damage)
    return tuple(root / HISTORY / file.path for file in files)


def archive_problems(root: Path, accelerator: str) -> Iterator[Problem]:
    """Yield the problems of an accelerator's archive, after reading all its files.

    If the list of files is damaged, nothing else is checked.
    """
    try:
        files = listed_files(root, accelerator)
    except ProblemsError as error:
        yield from error.problems
        return
    damage = {file: file_damage(root, file) for file in files}
    counts = row_counts(root, [file for file in files if damage[file] is None])
    for file in files:
        if file not in counts:
            yield damage[file] or _invalid_file(file)
    for path in _unlisted_files(root, accelerator, files):
        what = f"{HISTORY}/{accelerator}.sha256 does not list this file; a command was interrupted"
        remedy = "to delete it, run: accelerator-portal history compact"
        yield Problem(path.relative_to(root).as_posix(), 1, what, remedy)


def archived_accelerators(root: Path) -> list[str]:
    """Return the accelerators that have a list of files, or a folder in the archive, sorted."""
    listed = {path.stem for path in (root / HISTORY).glob("*.sha256")}
    folders = {
        unquote(path.name.partition("=")[2])
        for path in (root / HISTORY).glob("*/results/accelerator=*")
    }
    return sorted(listed | folders)


def month_of(moment: dt.datetime) -> str:
    """Return the month of a time in UTC, such as `2026-11`."""
    return f"{moment.astimezone(dt.timezone.utc):%Y-%m}"


def read_rows(root: Path, file: ResultFile) -> pa.Table:
    """Return the rows in a file. Raises ProblemsError if it is not a Parquet file of results."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(pa.BufferReader(read_bytes(root / HISTORY / file.path))).read()
    except (pa.ArrowException, OSError):
        raise ProblemsError([_invalid_file(file)]) from None
    if not table.schema.equals(arrow_schema()):
        raise ProblemsError([_invalid_file(file)])
    return table


def row_counts(root: Path, files: Iterable[ResultFile]) -> dict[ResultFile, int]:
    """Return the number of rows in each file, without reading the rows.

    A file without the columns of results is left out.
    """
    import duckdb

    counts: dict[ResultFile, int] = {}
    with duckdb.connect(config={"threads": 1}) as connection:
        for file in files:
            path = [str(root / HISTORY / file.path)]
            with suppress(duckdb.Error):
                described = connection.execute(
                    "DESCRIBE FROM read_parquet($1, hive_partitioning = false)", path
                )
                if [(name, kind) for name, kind, *_ in described.fetchall()] == DUCKDB_COLUMNS:
                    connection.execute("SELECT sum(num_rows) FROM parquet_file_metadata($1)", path)
                    ((counts[file],),) = connection.fetchall()
    return counts


def write_rows(root: Path, partition: Partition, stem: str, table: pa.Table) -> ResultFile:
    """Write sorted rows to a new file of a partition, and return its entry in the list of files.

    The name of the file consists of `stem` and the first digits of its checksum, so no file
    replaces another one. Raises OSError if writing fails.
    """
    data = parquet_bytes(table)
    sha256 = hashlib.sha256(data).hexdigest()
    path = f"{partition.folder}/{stem}-{sha256[:16]}.parquet"
    write_bytes_atomically(root / HISTORY / path, data)
    return ResultFile(path, sha256, partition)


def write_report(
    root: Path,
    accelerator: str,
    kind: ResultKind,
    point: HistoryPoint,
    rows: Mapping[str, pa.Table],
) -> None:
    """Write the rows of a report, by suite, to new files, and list the files.

    The caller must hold the lock. Raises OSError if writing fails, and ProblemsError if the list is
    damaged.
    """
    if not list_path(root, accelerator).exists():
        write_list(root, accelerator, ())  # files without any list are damage, not an interruption
    stem = f"{point.started.astimezone(dt.timezone.utc):%Y%m%dT%H%M%SZ}-{point.id}"
    month = month_of(point.started)
    files = [
        write_rows(root, Partition(kind, accelerator, suite, month), stem, table)
        for suite, table in rows.items()
    ]
    write_list(root, accelerator, {*listed_files(root, accelerator), *files})


def delete_results(root: Path, accelerator: str, kind: ResultKind) -> None:
    """Delete the archived runs or baselines of an accelerator.

    The caller must hold the lock. Raises OSError if a file cannot be deleted, and ProblemsError if
    the list is damaged.
    """
    files = listed_files(root, accelerator)
    write_list(root, accelerator, [file for file in files if file.partition.kind != kind])
    _delete_unlisted_files(root, accelerator)


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the content of a Parquet file with sorted rows. The same rows give the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        row_group_size=ROWS_PER_GROUP,
        sorting_columns=[pq.SortingColumn(table.column_names.index(name)) for name in SORTED_BY],
        write_page_index=True,
        store_schema=False,  # half of a small file; the types are those of Parquet
    )
    return bytes(buffer.getvalue())


@contextmanager
def writing(root: Path, accelerator: str) -> Iterator[None]:
    """Lock the archive of an accelerator for writing, and delete what an interrupted command left.

    Raises ProblemsError if another command holds the lock or the list of files is damaged, OSError
    if the lock cannot be created or a file cannot be deleted.
    """
    lock_path = list_path(root, accelerator).with_suffix(".lock")
    lock_path.parent.mkdir(parents=True, exist_ok=True)
    file_lock = FileLock(lock_path, timeout=0)
    try:
        file_lock.acquire()
    except Timeout:
        what = f'another command is writing the history of "{accelerator}"'
        remedy = "wait until it finishes, then run this command again"
        raise ProblemsError([Problem(HISTORY, 1, what, remedy)]) from None
    try:
        _delete_unlisted_files(root, accelerator)
        yield
    finally:
        lock_path.unlink(missing_ok=True)  # before the release: another one may hold it right after
        file_lock.release()


def merge_months(
    root: Path, before: str, on_result: Callable[[str], None] = lambda _: None
) -> tuple[Problem, ...]:
    """Merge the files of each partition whose month is before `before`, such as `2026-11`.

    An accelerator with problems does not stop the others; the problems are returned. For each
    accelerator with merged files, `on_result` is called with a line such as `cpu: merged 6 files
    into 2`. Raises OSError if a file cannot be written.
    """
    problems: list[Problem] = []
    for accelerator in archived_accelerators(root):
        try:
            with writing(root, accelerator):
                parts, merged = _merge_files(root, accelerator, before)
        except ProblemsError as error:
            problems += error.problems
            continue
        if parts:
            on_result(f"{accelerator}: merged {count(parts, 'file')} into {merged:,}")
    return tuple(problems)


def _merge_files(root: Path, accelerator: str, before: str) -> tuple[int, int]:
    """Return the number of merged files, and the number of files that replace them."""
    import pyarrow as pa

    files = listed_files(root, accelerator)
    kept, merged = set(files), set()
    for partition, parts in grouped((file.partition, file) for file in files).items():
        if partition.month >= before or len(parts) == 1:
            continue
        if damage := [problem for part in parts if (problem := file_damage(root, part))]:
            raise ProblemsError(damage)
        table = sorted_rows(pa.concat_tables([read_rows(root, part) for part in parts]))
        merged.add(write_rows(root, partition, "month", table))
        kept.difference_update(parts)
    if merged:
        write_list(root, accelerator, kept | merged)
        _delete_unlisted_files(root, accelerator)
    return len(files) - len(kept), len(merged)


def _parquet_files(root: Path, accelerator: str) -> Iterator[Path]:
    for kind in RESULT_KINDS:
        folder = root / HISTORY / kind / "results" / f"accelerator={quote(accelerator, '')}"
        yield from sorted(folder.rglob("*.parquet"))


def _unlisted_files(root: Path, accelerator: str, files: Iterable[ResultFile]) -> list[Path]:
    listed = {root / HISTORY / file.path for file in files}
    return [path for path in _parquet_files(root, accelerator) if path not in listed]


def _delete_unlisted_files(root: Path, accelerator: str) -> None:
    """Delete an accelerator's files that its list lacks, and unfinished files.

    A file that is listed is never deleted. Without a list, there must be no files.
    """
    for path in _unlisted_files(root, accelerator, listed_files(root, accelerator)):
        path.unlink()
    for folder in (root / HISTORY).glob(f"*/results/accelerator={quote(accelerator, '')}"):
        remove_leftovers(folder, utc_now(), age=dt.timedelta())
    for path in (root / HISTORY).glob(f".{accelerator}.sha256.*.new"):
        path.unlink()
