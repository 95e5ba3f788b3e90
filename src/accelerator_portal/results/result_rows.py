"""Converts a report to rows of the archive of results, and such a row to the report's facts.

Each row is the result of one test in one report. A row without an outcome says that a complete
report lacks a test that earlier reports have: the test is gone.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import TypeAdapter

from accelerator_portal.results.history import HistoryPoint
from accelerator_reports.file_reading import file_error
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report
from accelerator_reports.test_keys import identity_of, parse_key

if TYPE_CHECKING:
    import pyarrow as pa

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
