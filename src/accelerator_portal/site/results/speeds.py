"""Collects the measured speeds in reports, and arranges them in tables that compare runs.

Each row of a table has the speeds of one test in several runs. Suite, name and all parameters of
the test are the same in these runs. If a speed is too noisy to publish, the report states a reason,
and pages show the reason instead of the speed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.accelerator import HardwareModel, PeakOf
from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.results.stored_reports import LONG_AGO, StoredReport
from accelerator_portal.site.plots import (
    NARROW,
    WIDE,
    Frame,
    Interval,
    IntervalRow,
    Plot,
    interval_plot,
)
from accelerator_portal.site.results.results_view import address_of
from accelerator_portal.site.text_formats import format_number
from accelerator_reports.outcomes import ReportKind
from accelerator_reports.report import Metric, TestEntry
from accelerator_reports.test_ids import identity_of

_BANDWIDTH, _COMPUTING = "GB/s", "TFLOP/s"
_NOT_PUBLISHED = "Speed not published: "


@dataclass(frozen=True, slots=True)
class Speed:
    """The speed that a test measured: the median `value` of `repeats` repeats, in `unit`.

    The confidence interval of the median is from `low` to `high`. `power` and `clock` were measured
    on the device, or are None. `share` is `value` divided by the peak that the vendor states, or
    None if the vendor states no peak.
    """

    value: float
    low: float
    high: float
    repeats: int
    unit: str
    power: Metric | None = None
    clock: Metric | None = None
    share: float | None = None

    @property
    def per_watt(self) -> float | None:
        """The speed divided by the power, to three digits; None if no power was measured."""
        if not self.power or not self.power.value:
            return None
        return float(f"{self.value / self.power.value:.3g}")


@dataclass(frozen=True, slots=True)
class SpeedTest:
    """A measured test, shown as a table row; `address` is relative to `results/`.

    `size` is the test's parameter `shapes`. `mode`, `dtype` and `size` are empty if not stated.
    """

    name: str
    mode: str
    dtype: str
    size: str
    address: str


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """A report of a run that measured speeds.

    `tests` has all speed tests of the report, by test key. `speeds` has the published speeds by
    test key. `noisy` has a reason for each speed that is too noisy to publish, by test key. `name`
    is the platform's name. `threads` lists the numbers of threads: `1, 8`. `hardware`, `torch` and
    `threads` are empty if not stated.
    """

    id: str
    accelerator: str
    name: str
    kind: ReportKind
    hardware: str
    torch: str
    started: dt.datetime | None
    threads: str
    suites: frozenset[str]
    tests: dict[str, SpeedTest]
    speeds: dict[str, Speed]
    noisy: dict[str, str]

    @property
    def day(self) -> dt.date | None:
        """The day on which the run started; None if not stated."""
        return self.started.date() if self.started else None

    @property
    def rows(self) -> list[tuple[SpeedTest, Speed]]:
        """Pairs of a test and its published speed, in the order of the report."""
        return [(self.tests[key], speed) for key, speed in self.speeds.items()]

    @property
    def plots(self) -> tuple[Plot, ...]:
        """A plot of the published speeds for each unit, in the wide and the narrow layout."""
        return speed_table([self]).plots

    @property
    def unpublished(self) -> list[tuple[SpeedTest, str]]:
        """The tests whose speed was too noisy to publish, with the reasons."""
        return [(self.tests[key], why) for key, why in self.noisy.items()]

    @property
    def has_power(self) -> bool:
        """Whether any speed has a power measurement."""
        return any(speed.power for speed in self.speeds.values())

    @property
    def has_clock(self) -> bool:
        """Whether any speed has a clock measurement."""
        return any(speed.clock for speed in self.speeds.values())

    @property
    def has_share(self) -> bool:
        """Whether the vendor states a peak for any speed."""
        return any(speed.share is not None for speed in self.speeds.values())


@dataclass(frozen=True, slots=True)
class SpeedTable:
    """A table of speeds: a row has a test and the test's speeds, one for each run in `runs`.

    The speeds have the order of `runs`. A speed is None if the run has no speed for the test.
    """

    runs: tuple[SpeedRun, ...]
    rows: tuple[tuple[SpeedTest, tuple[Speed | None, ...]], ...]

    @property
    def plots(self) -> tuple[Plot, ...]:
        """A plot of the speeds for each unit, in the wide and the narrow layout."""
        units = dict.fromkeys(speed.unit for _, cells in self.rows for speed in cells if speed)
        plots = (
            _speed_plot(self, unit, number, width)
            for number, unit in enumerate(units)
            for width in (WIDE, NARROW)
        )
        return tuple(plot for plot in plots if plot)

    def of_mode(self, mode: str) -> SpeedTable:
        """Return a table of the tests in a mode. Runs without a speed in this mode are omitted."""
        rows = [row for row in self.rows if row[0].mode == mode]
        run_indexes = [n for n in range(len(self.runs)) if any(cells[n] for _, cells in rows)]
        return SpeedTable(
            tuple(self.runs[n] for n in run_indexes),
            tuple((test, tuple(cells[n] for n in run_indexes)) for test, cells in rows),
        )


def speed_runs(catalog: Catalog, reports: Sequence[StoredReport]) -> tuple[SpeedRun, ...]:
    """Return the runs that measured speeds, in the order of the reports, without baselines."""
    runs = (_speed_run(catalog, stored) for stored in reports if stored.report.kind != "baseline")
    return tuple(run for run in runs if run.tests)


def speed_table(runs: Sequence[SpeedRun]) -> SpeedTable:
    """Return a table of the published speeds in `runs`, with a row for each test.

    Runs and tests without a published speed are omitted.
    """
    measured_runs = tuple(run for run in runs if run.speeds)
    tests = {key: run.tests[key] for run in measured_runs for key in run.speeds}
    rows = (
        (test, tuple(run.speeds.get(key) for run in measured_runs)) for key, test in tests.items()
    )
    return SpeedTable(measured_runs, tuple(rows))


def _speed_plot(table: SpeedTable, unit: str, number: int, width: int) -> Plot | None:
    series = [comma_list(filter(None, (run.name, run.hardware))) for run in table.runs]
    rows = [
        IntervalRow(
            comma_list(filter(None, (test.name, test.mode))),
            comma_list(filter(None, (test.dtype, test.size))) if test.dtype or test.size else "",
            tuple(
                _interval(name, test, speed) if speed and speed.unit == unit else None
                for name, speed in zip(series, cells, strict=True)
            ),
        )
        for test, cells in table.rows
        if any(speed and speed.unit == unit for speed in cells)
    ]
    best = max((v for row in rows for v in row.values if v), key=lambda value: value.value)
    title = message("Measured speed in {unit}", unit=unit)
    description = message("The highest of {count} rows: {best}.", count=len(rows), best=best.words)
    frame = Frame(f"speed-{number}", title, description)
    return interval_plot(frame, series, sorted(rows, key=_heading_order(rows)), unit, width)


def _heading_order(rows: Sequence[IntervalRow]) -> Callable[[IntervalRow], int]:
    """Return the key by which rows with the same heading come together, in their order."""
    order = list(dict.fromkeys(row.heading for row in rows))
    return lambda row: order.index(row.heading)


def _interval(series: str, test: SpeedTest, speed: Speed) -> Interval:
    settings = comma_list(filter(None, (test.name, test.mode, test.dtype, test.size)))
    words = message(
        "{series}: {test}, {value} {unit}, 95% interval {low} to {high}",
        series=series,
        test=settings,
        value=format_number(speed.value),
        unit=speed.unit,
        low=format_number(speed.low),
        high=format_number(speed.high),
    )
    return Interval(speed.value, speed.low, speed.high, words)


def newest_runs(runs: Sequence[SpeedRun]) -> tuple[SpeedRun, ...]:
    """Return the newest run for each combination of platform, hardware and kind of report.

    The result has the order of `runs`.
    """
    newest: dict[tuple[str, str, ReportKind], SpeedRun] = {}
    for run in sorted(runs, key=lambda run: run.started or LONG_AGO):
        newest[run.accelerator, run.hardware, run.kind] = run
    newest_ids = {run.id for run in newest.values()}
    return tuple(run for run in runs if run.id in newest_ids)


def _speed_run(catalog: Catalog, stored: StoredReport) -> SpeedRun:
    report, platform = stored.report, catalog.by_id[stored.report.accelerator]
    suites = {suite.name for suite in report.suites if suite.kind == "speed"}
    entry_by_key = {identity_of(t).key: t for t in report.tests if t.suite in suites}
    model = _model_by_name(catalog, report.accelerator, report.environment.hardware)
    speeds = {key: _speed(test, model) for key, test in entry_by_key.items()}
    threads = {m.value for t in entry_by_key.values() if (m := t.metrics.get("threads"))}
    return SpeedRun(
        id=stored.id,
        accelerator=platform.id,
        name=platform.accelerator.name,
        kind=report.kind,
        hardware=report.environment.hardware or "",
        torch=report.environment.torch or "",
        started=report.started,
        threads=", ".join(f"{value:g}" for value in sorted(threads)),
        suites=frozenset(test.suite for test in entry_by_key.values()),
        tests={key: _speed_test(test) for key, test in entry_by_key.items()},
        speeds={key: speed for key, speed in speeds.items() if speed},
        noisy={key: why for key, test in entry_by_key.items() if (why := _noise_reason(test))},
    )


def _speed_test(test: TestEntry) -> SpeedTest:
    def parameter(name: str) -> str:
        return str(test.parameters.get(name, ""))

    address = address_of(test.suite, test.name)
    return SpeedTest(test.name, parameter("mode"), parameter("dtype"), parameter("shapes"), address)


def _speed(test: TestEntry, model: HardwareModel | None) -> Speed | None:
    """Return the speed of a test; None if it did not pass, or if its speed is incomplete.

    A speed is complete if it has an interval and a number of repeats.
    """
    metric = test.metrics.get("speed")
    if test.outcome != "passed" or not (metric and metric.interval and metric.repeats):
        return None
    peak = _stated_peak(model, metric.unit, str(test.parameters.get("dtype", "")))
    return Speed(
        value=metric.value,
        low=metric.interval[0],
        high=metric.interval[1],
        repeats=metric.repeats,
        unit=metric.unit,
        power=test.metrics.get("power"),
        clock=test.metrics.get("clock"),
        share=metric.value / peak if peak else None,
    )


def _noise_reason(test: TestEntry) -> str | None:
    reason = test.reason or ""
    if test.outcome != "passed" or not reason.startswith(_NOT_PUBLISHED):
        return None
    return reason.removeprefix(_NOT_PUBLISHED).removesuffix(".")


def _model_by_name(
    catalog: Catalog, accelerator: str, printed_name: str | None
) -> HardwareModel | None:
    """Return the hardware model of the platform `accelerator` that has the name `printed_name`.

    `printed_name` is the name that a device tool printed. Upper and lower case are not
    distinguished. The result is None if no model or several models have this name.
    """
    hardware = catalog.by_id[accelerator].accelerator.hardware
    if hardware is None or printed_name is None:
        return None
    models = (model for generation in hardware.generations for model in generation.models)
    matching_models = [model for model in models if printed_name.casefold() in _model_names(model)]
    return matching_models[0] if len(matching_models) == 1 else None


def _model_names(model: HardwareModel) -> Iterator[str]:
    yield model.name.casefold()
    yield from (name.casefold() for name in model.also or ())


def _stated_peak(model: HardwareModel | None, unit: str, dtype: str) -> float | None:
    """Return the peak that the vendor states for a hardware model, in `unit`, or None.

    For `GB/s`, this is the peak memory bandwidth. For `TFLOP/s`, this is the peak of computing with
    the data type `dtype`.
    """
    peak_kind: PeakOf | str | None = {_BANDWIDTH: "memory", _COMPUTING: dtype}.get(unit)
    peak_values = (
        peak.value for peak in (model.peaks if model else None) or () if peak.of == peak_kind
    )
    return next(peak_values, None)
