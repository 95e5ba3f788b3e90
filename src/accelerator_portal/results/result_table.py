"""Queries archived results with DuckDB: histories and roll-ups. The queries are in `sql/`."""

from __future__ import annotations

import datetime as dt
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from accelerator_portal.results.history import (
    MOST_RECENT,
    History,
    HistoryPoint,
    OutcomeChange,
    ResultKind,
    ResultState,
    SuiteCount,
    result_kind,
)
from accelerator_portal.results.result_files import (
    HISTORY,
    REPORT_COLUMNS,
    arrow_schema,
    history_point,
    intact_files,
    point_of_row,
)
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.file_reading import file_error
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.outcomes import BAD, GOOD
from accelerator_reports.report import Report
from accelerator_reports.test_ids import identity_of, parse_key

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection

ROLLUPS = tuple(
    sorted(
        file.name.removesuffix(".sql")
        for file in package_files(__package__).joinpath("sql/rollups").iterdir()
    )
)
"""The names of the roll-ups: summaries of all runs by accelerator, suite and month."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_MAY_RUN_PARTS = frozenset({"pull-request", "manual", "unknown"})
_REBUILD = "rebuild the history from all reports"


class ResultTable:
    """The results of an accelerator's runs or baselines, in a table of DuckDB in memory.

    `reports` has each report by id.
    """

    def __init__(self, accelerator: str, kind: ResultKind) -> None:
        self.accelerator = accelerator
        self.kind: ResultKind = kind
        self.reports: dict[str, HistoryPoint] = {}

    @cached_property
    def _duckdb(self) -> DuckDBPyConnection:
        connection = connected(accelerator=self.accelerator, kind=self.kind.removesuffix("s"))
        connection.execute(
            "CREATE TABLE results (key TEXT, started TIMESTAMPTZ, report TEXT, outcome TEXT, "
            "stage TEXT);"
            "CREATE TABLE codes (report TEXT, code INTEGER);"
            "CREATE VIEW rows AS SELECT *, getvariable('accelerator') AS accelerator, "
            "getvariable('kind') AS kind FROM results"
        )
        return connection

    @classmethod
    def read(cls, root: Path, accelerator: str, kind: ResultKind) -> ResultTable:
        """Return the archived results; an empty table if nothing is archived.

        Raises ProblemsError if a file is missing or damaged.
        """
        import duckdb

        table = cls(accelerator, kind)
        paths = [str(path) for path in intact_files(root, accelerator, kind)]
        try:
            if paths:
                table._read(paths)
        except (duckdb.Error, ValueError) as error:
            place = f"{HISTORY}/{accelerator}.sha256"
            raise _unreadable(place, f"the {kind} in these files", error) from None
        return table

    def _read(self, paths: Sequence[str]) -> None:
        self._duckdb.execute("SET VARIABLE paths = $1", [paths])
        self._duckdb.execute(
            "CREATE VIEW files AS "
            "FROM read_parquet(getvariable('paths'), hive_partitioning = false)"
        )
        self._duckdb.execute(
            "INSERT INTO results SELECT key, started, report, outcome, stage FROM files"
        )
        rows = self._duckdb.execute(
            "SELECT epoch_us(first(started)), first(COLUMNS(lambda name: list_contains($1, name))) "
            "FROM files GROUP BY report",
            [REPORT_COLUMNS],
        )
        for started_us, *values in rows.fetchall():
            row = dict(zip(REPORT_COLUMNS, values, strict=True))
            started = _EPOCH + dt.timedelta(microseconds=started_us)
            self.reports[row["report"]] = point_of_row(row, started)

    def add(self, report: Report, path: Path) -> tuple[HistoryPoint, list[str]] | None:
        """Add a report, and return the facts about it and the keys of the tests that are gone.

        A test is gone if earlier reports have it, and a complete suite of this report lacks it but
        has tests of the same group (see `Identity.group`). None if the table already has the
        report, or if the report has no tests. Reports with the same start time can be added in any
        order.

        Raises ProblemsError if the report is about another accelerator, is no run or no baseline,
        has no start time, starts before the newest report, or contains a test twice. Also raises it
        if another report with the same start time has tests of the same group. The error names the
        report file `path`.
        """
        self._check_place(report, path)
        point = history_point(report, path)
        if point.id in self.reports or not report.tests:
            return None
        self._check_order(report, point, path)
        gone = self._gone_tests(report)
        self._insert(
            point,
            [*(identity_of(test).key for test in report.tests), *gone],
            [*(test.outcome for test in report.tests), *(None for _ in gone)],
            [*(test.stage for test in report.tests), *(None for _ in gone)],
        )
        self.reports[point.id] = point
        return point, gone

    def _insert(
        self,
        point: HistoryPoint,
        keys: Sequence[str],
        outcomes: Sequence[str | None],
        stages: Sequence[str | None],
    ) -> None:
        self._duckdb.execute(
            "INSERT INTO results SELECT unnest($1), $2, $3, unnest($4), unnest($5)",
            [keys, point.started, point.id, outcomes, stages],
        )

    def _check_place(self, report: Report, path: Path) -> None:
        if report.accelerator != self.accelerator:
            what = f'the report is about "{report.accelerator}", not "{self.accelerator}"'
            raise file_error(path, 1, what, "add it to that platform's history")
        if result_kind(report) != self.kind:
            what = f"a report of kind {report.kind} cannot be added to a history of {self.kind}"
            raise file_error(path, 1, what, "keep runs and baselines in two histories")

    def _check_order(self, report: Report, point: HistoryPoint, path: Path) -> None:
        last = max((other.started for other in self.reports.values()), default=point.started)
        if point.started < last:
            latest = f"the latest report ({_time_text(last)})"
            what = f"the report started {_time_text(point.started)}, before {latest}"
            raise file_error(path, 1, what, f"remove the report, or {_REBUILD}")
        same_time = [p.id for p in self.reports.values() if p.started == point.started]
        if same_time:
            keys = self._keys(
                "SELECT DISTINCT key FROM results WHERE list_contains($1, report)", [same_time]
            )
            groups = {identity_of(test).group for test in report.tests}
            if common := sorted(groups & {parse_key(key).group for key in keys}):
                what = f'another report of {_time_text(last)} already has tests of "{common[0]}"'
                remedy = f"remove one of the two or merge them; then {_REBUILD}"
                raise file_error(path, 1, what, remedy)

    def _gone_tests(self, report: Report) -> list[str]:
        suites = complete_suites(report)
        identities = [identity_of(test) for test in report.tests if test.suite in suites]
        groups = {identity.group for identity in identities}
        if not groups:
            return []
        present = self._keys(
            "SELECT key FROM results GROUP BY key HAVING arg_max(outcome IS NOT NULL, started)"
        )
        missing = set(present).difference(identity.key for identity in identities)
        return sorted(key for key in missing if parse_key(key).group in groups)

    def _keys(self, query: str, values: Sequence[object] = ()) -> list[str]:
        return [key for (key,) in self._duckdb.execute(query, values).fetchall()]

    def history(self) -> History:
        """Return the history: the reports, the state of each test, and all changes."""
        if not self.reports:
            return History(self.accelerator, self.kind)
        reports = dict(sorted(self.reports.items(), key=lambda item: (item[1].started, item[0])))
        self._duckdb.execute(f"CREATE OR REPLACE TABLE steps AS {query('steps')}")
        self._duckdb.execute(f"CREATE OR REPLACE VIEW changes AS {query('changes')}")
        codes = _code_numbers(reports.values())
        self._duckdb.execute("TRUNCATE codes")
        self._duckdb.execute(
            "INSERT INTO codes SELECT unnest($1), unnest($2)", [list(codes), list(codes.values())]
        )
        tests = self._duckdb.execute(query("tests"), {"most_recent": MOST_RECENT}).fetchall()
        changes = self._duckdb.execute(
            "SELECT report, key, change, outcome, stage, outcome_before, stage_before "
            "FROM changes ORDER BY started, report, key"
        ).fetchall()
        return History(
            self.accelerator,
            self.kind,
            reports,
            {key: _result_state(row, reports) for key, *row in tests},
            tuple(OutcomeChange(reports[report].started, report, *row) for report, *row in changes),
            tuple(
                SuiteCount(report, unquote(suite), *numbers)
                for report, suite, *numbers in self._duckdb.execute(query("counts")).fetchall()
            ),
        )


def read_history(root: Path, accelerator: str, kind: ResultKind) -> History:
    """Return the archived history of an accelerator; an empty history if nothing is archived.

    Raises ProblemsError if a file is missing or damaged.
    """
    return ResultTable.read(root, accelerator, kind).history()


def history_with_reports(
    root: Path, accelerator: str, kind: ResultKind, reports: Iterable[StoredReport]
) -> History:
    """Return the archived history of an accelerator with newer reports; no file is written.

    The reports are added in order of time. Reports without a date and of the other kind are
    ignored. `left_out` has the problems of the archive, if it cannot be read, and of reports that
    cannot be added, for example because they are older than the archived ones.
    """
    try:
        table = ResultTable.read(root, accelerator, kind)
    except ProblemsError as error:
        return History(accelerator, kind, left_out=error.problems)
    left_out: list[Problem] = []
    dated = [s for s in reports if s.report.started and result_kind(s.report) == kind]
    for stored in sorted(dated, key=lambda stored: stored.order):
        try:
            table.add(stored.report, Path(stored.path))
        except ProblemsError as error:
            left_out += error.at(stored.path).problems
    return replace(table.history(), left_out=tuple(left_out))


def rollup(root: Path, name: str, accelerators: Iterable[str]) -> pd.DataFrame:
    """Return the roll-up `name` of the archived runs of accelerators.

    Raises ProblemsError if a file is missing or damaged.
    """
    import duckdb
    import pyarrow as pa

    paths = [str(path) for one in accelerators for path in intact_files(root, one, "runs")]
    connection = connected(paths=paths)
    source = "read_parquet(getvariable('paths'), hive_partitioning = true, hive_types_autocast = 0)"
    if not paths:
        folders = [pa.field(name, pa.string()) for name in ("accelerator", "suite", "month")]
        connection.register("nothing", pa.schema([*arrow_schema(), *folders]).empty_table())
        source = "nothing"
    try:
        connection.execute(f"CREATE VIEW results AS FROM {source} WHERE outcome IS NOT NULL")
        return connection.execute(query(f"rollups/{name}")).df()
    except duckdb.Error as error:
        raise _unreadable(HISTORY, "the results", error) from None


def connected(**variables: object) -> DuckDBPyConnection:
    """Return a new database of DuckDB in memory with these variables, and with `good` and `bad`.

    The database never asks a network.
    """
    import duckdb

    # DuckDB creates the folder when memory is short. Two processes must not share it.
    folder = Path(tempfile.gettempdir(), f"accelerator-portal-{secrets.token_hex(8)}")
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "temp_directory": str(folder)}
    )
    for name, value in {"good": sorted(GOOD), "bad": sorted(BAD), **variables}.items():
        connection.execute(f"SET VARIABLE {name} = $1", [value])
    return connection


def _unreadable(path: str, what: str, error: Exception) -> ProblemsError:
    reason = str(error).partition("\n")[0]
    remedy = "check the files: accelerator-portal history check"
    return ProblemsError([Problem(path, 1, f"{what} cannot be read ({reason})", remedy)])


def _code_numbers(reports: Iterable[HistoryPoint]) -> dict[str, int]:
    """Return a number for the tested code of each report that states a torch version, by id.

    Two reports have the same code if they have the same environment and tested commit.
    """
    codes: list[tuple[object, object]] = []
    numbers: dict[str, int] = {}
    for point in reports:
        if point.environment.torch is not None:
            code = (point.environment, point.trigger.commit)
            if code not in codes:
                codes.append(code)
            numbers[point.id] = codes.index(code)
    return numbers


def _result_state(row: Sequence[Any], reports: Mapping[str, HistoryPoint]) -> ResultState:
    since, first_seen, last_seen, last_good, first_bad, failure, gone, signs = row
    return ResultState(
        reports[since],
        reports[first_seen],
        reports[last_seen],
        reports.get(last_good),
        reports.get(first_bad),
        failure,
        reports.get(gone),
        signs,
    )


def _time_text(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def complete_suites(report: Report) -> frozenset[str]:
    """Return the names of the suites that a report contains completely.

    A suite is complete if the report has at least the planned number of its tests, or if this
    number is unknown. A test that is missing from a complete suite is gone. Runs with the trigger
    `pull-request`, `manual` or `unknown` may run any part of a suite, so they have no complete
    suites.
    """
    if report.trigger.kind in _MAY_RUN_PARTS and report.kind != "baseline":
        return frozenset()
    counts = Counter(test.suite for test in report.tests)
    planned = {suite.name: suite.planned or 0 for suite in report.suites}
    return frozenset(name for name in counts if counts[name] >= planned.get(name, 0))


@cache
def query(name: str) -> str:
    """Return the SQL of a file in `sql/`, without its comments."""
    text = package_files(__package__).joinpath(f"sql/{name}.sql").read_text("utf-8")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("--"))
