"""Defines the columns of the archive's tables, and converts results and changes to tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import unquote

from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.partitions.manifest import Table
from accelerator_reports.report import Report
from accelerator_reports.test_keys import identity_of

if TYPE_CHECKING:
    import pyarrow as pa

ColumnType = Literal["text", "moment", "number"]


class TableColumn(NamedTuple):
    """A column of an archive table; `meaning` describes it to readers."""

    name: str
    type: ColumnType
    meaning: str
    required: bool = False
    """Whether every row has a value."""


_KEY = TableColumn("key", "text", "The test: suite, name, parameters", required=True)
_STARTED = TableColumn("started", "moment", "When the report started, in UTC", required=True)
_REPORT = TableColumn("report", "text", "The report’s ID", required=True)

COLUMNS: Mapping[Table, tuple[TableColumn, ...]] = {
    "results": (
        _KEY,
        _STARTED,
        _REPORT,
        TableColumn("name", "text", "The test’s name within its suite", required=True),
        TableColumn("parameters", "text", "All parameters, as they are in the key"),
        TableColumn("mode", "text", "The parameter mode: inference or training"),
        TableColumn("dtype", "text", "The parameter dtype"),
        TableColumn("compiler", "text", "The parameter compiler"),
        TableColumn("outcome", "text", "The test’s outcome", required=True),
        TableColumn("stage", "text", "The stage that the test reached"),
        TableColumn("seconds", "number", "How long the test took"),
        TableColumn("kind", "text", "Who ran the test, such as self-reported", required=True),
        TableColumn("trigger", "text", "What triggered the run", required=True),
        TableColumn("commit", "text", "The upstream commit that was tested"),
        TableColumn("torch", "text", "PyTorch’s version"),
        TableColumn("torch_commit", "text", "The commit that PyTorch was built from"),
        TableColumn("plugin", "text", "The plugin’s name"),
        TableColumn("plugin_version", "text", "The plugin’s version"),
        TableColumn("plugin_commit", "text", "The commit that the plugin was built from"),
        TableColumn("driver", "text", "The driver’s version"),
        TableColumn("os", "text", "The operating system"),
        TableColumn("arch", "text", "The processor architecture"),
        TableColumn("python", "text", "Python’s version"),
        TableColumn("hardware", "text", "The model of the device"),
    ),
    "changes": (
        _KEY,
        _STARTED,
        _REPORT,
        TableColumn("change", "text", "What changed: new, regressed, fixed …", required=True),
        TableColumn("outcome", "text", "The outcome in the report; absent if the test was removed"),
        TableColumn("stage", "text", "The stage that the test reached"),
        TableColumn("outcome_before", "text", "The previous outcome; absent if the test is new"),
        TableColumn("stage_before", "text", "The stage that the test reached before"),
    ),
}
"""The columns of the files of each table. Accelerator, suite and month are not columns: they are
in the names of the folders that contain the files."""

ENVIRONMENT_COLUMNS = ("torch", "torch_commit", "driver", "os", "arch", "python", "hardware")
"""The columns with the values of the `Environment` fields of the same names."""

SORTED_BY = ("key", "started", "report")
"""The columns by which the rows of a file are sorted: by `key`, then `started`, then `report`."""


def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a table."""
    import pyarrow as pa

    types = {"text": pa.string(), "moment": pa.timestamp("us", tz="UTC"), "number": pa.float64()}
    return pa.schema(
        [
            pa.field(column.name, types[column.type], nullable=not column.required)
            for column in COLUMNS[table]
        ]
    )


def sorted_table(table: pa.Table) -> pa.Table:
    """Return the table with its rows sorted by `SORTED_BY`."""
    return table.sort_by([(name, "ascending") for name in SORTED_BY])


def result_tables(report: Report, report_id: str, started: dt.datetime) -> dict[str, pa.Table]:
    """Return a table of results for each suite of a report, by name of the suite."""
    report_cells = {"started": started, "report": report_id, **_report_cells(report)}
    rows: dict[str, list[dict[str, object]]] = {}
    for test in report.tests:
        identity = identity_of(test)
        parameters = dict(identity.parameters)
        rows.setdefault(test.suite, []).append(
            {
                **report_cells,
                "key": identity.key,
                "name": test.name,
                "parameters": identity.key.partition("?")[2] or None,
                "mode": parameters.get("mode"),
                "dtype": parameters.get("dtype"),
                "compiler": parameters.get("compiler"),
                "outcome": test.outcome,
                "stage": test.stage,
                "seconds": test.duration_s,
            }
        )
    return {suite: _sorted_arrow_table("results", suite_rows) for suite, suite_rows in rows.items()}


def change_tables(changes: Iterable[OutcomeChange]) -> dict[str, pa.Table]:
    """Return a table of changes for each suite, by name of the suite."""
    rows: dict[str, list[dict[str, object]]] = {}
    for change in changes:
        row = change._asdict()
        row["change"] = row.pop("kind")
        rows.setdefault(unquote(change.key.partition("/")[0]), []).append(row)
    return {suite: _sorted_arrow_table("changes", suite_rows) for suite, suite_rows in rows.items()}


def changes_in(table: pa.Table) -> list[OutcomeChange]:
    """Return the changes in a table, in the table's order."""
    names = ("change" if name == "kind" else name for name in OutcomeChange._fields)
    columns: list[list[Any]] = [table[name].to_pylist() for name in names]
    columns[0] = [moment.astimezone(dt.timezone.utc) for moment in columns[0]]
    return [OutcomeChange(*row) for row in zip(*columns, strict=True)]


def _sorted_arrow_table(table: Table, rows: list[dict[str, object]]) -> pa.Table:
    import pyarrow as pa

    return sorted_table(pa.Table.from_pylist(rows, schema=arrow_schema(table)))


def _report_cells(report: Report) -> dict[str, object]:
    environment, plugin = report.environment, report.environment.plugin
    return {
        "kind": report.kind,
        "trigger": report.trigger.kind,
        "commit": report.trigger.commit,
        "plugin": plugin.name if plugin else None,
        "plugin_version": plugin.version if plugin else None,
        "plugin_commit": plugin.commit if plugin else None,
        **{name: getattr(environment, name) for name in ENVIRONMENT_COLUMNS},
    }
