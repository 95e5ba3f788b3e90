"""Shows the results of each suite over time: how many tests passed in each report."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.message import message
from accelerator_portal.results.history import History, HistoryPoint, ResultKind, SuiteCount
from accelerator_portal.site.plots import Frame, Plot, PlotMoment, time_panel

MOST_RESULTS = 60
"""The maximum number of different results of a suite over time: older ones are left out."""


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The result of a suite in successive reports: in all of them, the numbers are the same.

    `since` and `until` are the start times of the first and the last of these reports. `passed` of
    `counted` tests passed; tests that neither passed nor failed are not counted. `torch` is the
    version that all reports state, or None.
    """

    since: dt.datetime
    until: dt.datetime
    passed: int
    counted: int
    torch: str | None


@dataclass(frozen=True, slots=True)
class SuiteCourse:
    """The results of a suite over time, oldest first."""

    title: str
    results: tuple[SuiteResult, ...]


@dataclass(frozen=True, slots=True)
class PlatformCourse:
    """The results of a platform over time, from its runs or from its baselines.

    `id` is the name of the history, such as `xpu-baselines`. `suites` has the suites with results
    from several days, and `plots` a plot of each. `one_day` is the number of suites with results
    from one day only. `none_passed` is the number of suites in which no test ever passed.
    """

    id: str
    title: str
    kind: ResultKind
    suites: tuple[SuiteCourse, ...]
    plots: tuple[Plot, ...]
    one_day: int
    none_passed: int


def platform_course(catalog: Catalog, history: History) -> PlatformCourse:
    """Return the results of a history over time."""
    name = catalog.by_id[history.accelerator].accelerator.name
    is_baseline = history.kind == "baselines"
    id_ = f"{history.accelerator}-{history.kind}"
    passing: dict[str, list[SuiteCount]] = {}
    none_passed = 0
    for suite, counts in sorted(grouped((c.suite, c) for c in history.counts).items()):
        if any(count.passed for count in counts):
            passing[suite] = counts
        else:
            none_passed += 1
    suites = tuple(
        SuiteCourse(catalog.suite_title(suite), tuple(_results(history, counts))[-MOST_RESULTS:])
        for suite, counts in passing.items()
        if len({history.reports[count.report].started.date() for count in counts}) > 1
    )
    return PlatformCourse(
        id_,
        message("{platform}: baseline, not runs", platform=name) if is_baseline else name,
        history.kind,
        suites,
        tuple(_plots(id_, suites, is_baseline=is_baseline)),
        len(passing) - len(suites),
        none_passed,
    )


def _results(history: History, counts: Sequence[SuiteCount]) -> Iterator[SuiteResult]:
    """Yield the results of a suite; successive reports with the same numbers are one result."""

    def facts(count: SuiteCount) -> tuple[int, int, str | None]:
        return count.passed, count.counted, history.reports[count.report].environment.torch

    def point(count: SuiteCount) -> HistoryPoint:
        return history.reports[count.report]

    for (passed, total, torch), same in groupby(counts, facts):
        points = [point(count) for count in same]
        yield SuiteResult(points[0].started, points[-1].started, passed, total, torch)


def _plots(id_: str, suites: Sequence[SuiteCourse], *, is_baseline: bool) -> Iterator[Plot]:
    """Yield a plot of each suite; all have the same axis of time."""
    if not suites:
        return
    start = min(suite.results[0].since for suite in suites)
    end = max(suite.results[-1].until for suite in suites)
    for number, suite in enumerate(suites):
        moments = tuple(_moments(suite.results, is_baseline=is_baseline))
        description = message(
            "First: {first}. Last: {last}.", first=moments[0].words, last=moments[-1].words
        )
        frame = Frame(f"time-{id_}-{number}", suite.title, description)
        if plot := time_panel(frame, moments, (start, end)):
            yield plot


def _moments(results: Sequence[SuiteResult], *, is_baseline: bool) -> Iterator[PlotMoment]:
    torch = ""
    for result in results:
        version = (result.torch or "").partition("+")[0]
        event = version if version and version != torch else ""
        torch = version or torch
        words = result_words(result, is_baseline=is_baseline)
        yield PlotMoment(result.since, result.until, result.passed, result.counted, words, event)


def result_words(result: SuiteResult, *, is_baseline: bool) -> str:
    """Return a result in words: `2026-11-21, torch 2.13.0: 15 of 15 passed`."""
    when = days_words(result)
    if result.torch:
        when = message("{when}, torch {version}", when=when, version=result.torch)
    passed, counted = f"{result.passed:,}", f"{result.counted:,}"
    if is_baseline:
        share = message("{passed} of {counted} expected to pass", passed=passed, counted=counted)
    else:
        share = message("{passed} of {counted} passed", passed=passed, counted=counted)
    return message("{when}: {share}", when=when, share=share)


def days_words(result: SuiteResult) -> str:
    """Return the day of a result, or its first and last day."""
    since, until = result.since.date(), result.until.date()
    if since == until:
        return str(since)
    return message("{first} to {last}", first=str(since), last=str(until))
