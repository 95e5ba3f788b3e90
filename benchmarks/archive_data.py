"""Generates nightly results, and writes them as an archive with one file for each month.

The names say that they are generated: platforms `generated-00`, suites `generated-0`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from accelerator_portal.results.history import fold_report
from accelerator_portal.results.history_state import State
from accelerator_portal.results.partitions.columns import arrow_schema
from accelerator_portal.results.partitions.manifest import (
    MONTH_FILE_STEM,
    ListedFile,
    ListedReport,
    Manifest,
    Partition,
    Table,
    write_manifest,
)
from accelerator_portal.results.partitions.parquet_files import write_parquet_file
from accelerator_portal.results.state_file import write_state
from accelerator_portal.results.stored_history import state_path
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Report

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Numbers: TypeAlias = np.ndarray[Any, np.dtype[Any]]

START = dt.datetime(2025, 1, 1, 2, 0, tzinfo=dt.UTC)
SUITES = 5
TURNS = 0.01
"""The share of tests whose outcome is drawn again each night; most drawn outcomes are the same."""


_QUERY = "?compiler=eager&dtype=float32"

_SAME = {
    "parameters": _QUERY[1:],
    "dtype": "float32",
    "compiler": "eager",
    "kind": "self-reported",
    "trigger": "nightly",
    "torch": "2.15.0",
    "hardware": "generated",
    "change": "changed",
}


class Scale(NamedTuple):
    """The amount of data: the number of platforms, of tests of each, and of nights."""

    platforms: int
    tests: int
    nights: int

    @property
    def rows(self) -> int:
        """The number of results."""
        return self.platforms * self.tests * self.nights


class Year(NamedTuple):
    """The outcomes of one platform and its durations: a row for each test, a column for each night.

    `outcomes` are positions in OUTCOMES. There is one more night than in the archive.
    """

    outcomes: Numbers
    seconds: Numbers


def platform_name(number: int) -> str:
    """Return the id of a generated platform."""
    return f"generated-{number:02}"


def year_of(number: int, scale: Scale) -> Year:
    """Return random outcomes and durations of a platform: nine tests in ten pass, few change."""
    import numpy as np

    pick = np.random.default_rng(number)
    shape = (scale.tests, scale.nights + 1)
    weights = np.array([90.0, *[1.0] * (len(OUTCOMES) - 1)])
    drawn = pick.choice(len(OUTCOMES), size=shape, p=weights / weights.sum()).astype(np.int8)
    turns = pick.random(shape) < TURNS
    turns[:, 0] = True
    last = np.maximum.accumulate(np.where(turns, np.arange(shape[1]), 0), axis=1)
    usual = pick.lognormal(0, 1.5, size=(scale.tests, 1))
    noise = pick.normal(1, 0.05, size=shape)
    return Year(np.take_along_axis(drawn, last, axis=1), np.round(np.abs(usual * noise), 3))


def report_of(number: int, year: Year, night: int) -> Report:
    """Return a platform's report of a night; both are numbers from 0."""
    names, column = list(OUTCOMES), year.outcomes[:, night]
    tests = [
        {
            "suite": _suite(n),
            "name": f"test_{n:05}",
            "parameters": {"dtype": "float32", "compiler": "eager"},
            "outcome": names[code],
            "duration_s": float(year.seconds[n, night]),
        }
        for n, code in enumerate(column)
    ]
    return Report.model_validate(
        {
            "schema_version": 1,
            "accelerator": platform_name(number),
            "kind": "self-reported",
            "trigger": {"kind": "nightly"},
            "started": _started(night).isoformat(),
            "environment": {"torch": "2.15.0", "hardware": "generated"},
            "note": "generated",
            "suites": [{"name": f"generated-{s}", "kind": "unit"} for s in range(SUITES)],
            "tests": tests,
        }
    )


def write_year(root: Path, number: int, scale: Scale) -> Year:
    """Write the archive and the state of a platform as if every night had been folded.

    The state knows only the last night's outcome of each test. Returns the platform's outcomes and
    durations.
    """
    year, name = year_of(number, scale), platform_name(number)
    last = report_of(number, year, scale.nights - 1)
    state, _ = fold_report(State(name, "runs"), last)
    (point,) = state.reports.values()
    ids = [*(f"{number:08x}{night:08x}" for night in range(scale.nights - 1)), point.id]
    points = {id_: replace(point, id=id_, started=_started(night)) for night, id_ in enumerate(ids)}
    write_state(state_path(root, name, "runs"), replace(state, reports=points))
    files = [file for suite in range(SUITES) for file in _files(root, number, suite, year, ids)]
    changes = _changed(year)[:, : scale.nights].sum(axis=0)
    reports = {
        id_: ListedReport(
            basis="runs", started=_started(night), results=scale.tests, changes=int(changes[night])
        )
        for night, id_ in enumerate(ids)
    }
    write_manifest(root, Manifest(accelerator=name).with_files(files, reports=reports))
    return year


def _files(root: Path, number: int, suite: int, year: Year, ids: list[str]) -> Iterator[ListedFile]:
    """Write a suite's files of results and changes, one for each month; yield their entries.

    The rows are sorted by test, then by night.
    """
    import numpy as np

    tests = [n for n in range(len(year.outcomes)) if _suite(n) == f"generated-{suite}"]
    months: dict[str, list[int]] = {}
    for night in range(len(ids)):
        months.setdefault(f"{_started(night):%Y-%m}", []).append(night)
    changed = _changed(year)
    for month, nights in months.items():
        rows, columns = (axis.ravel() for axis in np.meshgrid(tests, nights, indexing="ij"))
        turned = changed[rows, columns]
        for table, chosen in (("results", slice(None)), ("changes", turned)):
            place = Partition(
                "runs", cast("Table", table), platform_name(number), f"generated-{suite}", month
            )
            cells = _Cells(rows[chosen], columns[chosen])
            if len(cells.tests):
                yield write_parquet_file(
                    root, place, MONTH_FILE_STEM, _table(place, year, ids, cells)
                )


class _Cells(NamedTuple):
    """A selection of results: the number of the test and of the night of each."""

    tests: Numbers
    nights: Numbers


def _table(place: Partition, year: Year, ids: list[str], cells: _Cells) -> pa.Table:
    import pyarrow as pa

    names = [f"test_{n:05}" for n in range(len(year.outcomes))]
    keys = [f"{_suite(n)}/{name}{_QUERY}" for n, name in enumerate(names)]
    before = year.outcomes[cells.tests, cells.nights - 1]
    columns = {
        "key": _taken(keys, cells.tests),
        "name": _taken(names, cells.tests),
        "started": pa.array([_started(n) for n in range(len(ids))]).take(pa.array(cells.nights)),
        "report": _taken(ids, cells.nights),
        "outcome": _taken(list(OUTCOMES), year.outcomes[cells.tests, cells.nights]),
        "outcome_before": _taken(list(OUTCOMES), before),
        "seconds": pa.array(year.seconds[cells.tests, cells.nights]),
    }
    schema, rows = arrow_schema(place.table), len(cells.tests)
    return pa.table(
        [
            columns[field.name].cast(field.type)
            if field.name in columns
            else pa.repeat(pa.scalar(_SAME.get(field.name), field.type), rows)
            for field in schema
        ],
        schema=schema,
    )


def _taken(texts: list[str], numbers: Numbers) -> pa.Array:
    import pyarrow as pa

    return pa.array(texts).take(pa.array(numbers))


def _changed(year: Year) -> Numbers:
    """Return whether each outcome differs from the night before; true for the first night."""
    import numpy as np

    turned: Numbers = np.diff(year.outcomes, axis=1, prepend=-1) != 0
    return turned


def _suite(test: int) -> str:
    return f"generated-{test % SUITES}"


def _started(night: int) -> dt.datetime:
    return START + dt.timedelta(days=night)
