"""How far a platform's claims are backed by reports: computed from the criteria, with reasons."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.criteria_file import Criteria, Demand, Level
from accelerator_portal.reports.outcomes import GOOD
from accelerator_portal.reports.report import Report


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a demand is met, and why."""

    met: bool
    why: str


@dataclass(frozen=True, slots=True)
class Quality:
    """A platform's level, and what keeps it from each higher one."""

    level: Level
    tested: Answer
    missing: tuple[str, ...]


def as_of(catalog: Catalog, reports: Iterable[Report]) -> dt.datetime:
    """Return the moment that ages are counted to: the newest date that the data knows.

    Not the clock: the same data must give the same pages tomorrow.
    """
    days = [
        source.read
        for p in catalog.platforms
        for _, s in p.sourced_files()
        for source in s.values()
    ]
    days += [release.date for release in catalog.releases.releases]
    moments = [dt.datetime.combine(day, dt.time(), dt.UTC) for day in days]
    moments += [moment for r in reports for moment in (r.started, r.finished) if moment]
    return max(moments)


def quality(
    platform: Platform,
    reports: list[Report],
    criteria: Criteria,
    newest_torch: str,
    at: dt.datetime,
) -> Quality:
    """Return the level of a platform; `newest_torch` is the release that its commands install."""
    tested = is_tested(reports, criteria, newest_torch, at)
    runs = [report for report in reports if report.kind != "baseline"]
    answers: dict[Demand, Callable[[], Answer]] = {
        "tested": lambda: tested,
        "run": lambda: Answer(bool(runs), "no run is known"),
        "baseline": lambda: Answer(bool(reports), "no baseline is known"),
        "command": lambda: Answer(bool(platform.install.options), "no install command is known"),
        "maintainers": lambda: Answer(
            bool(platform.accelerator.maintainers), "no maintainer is named"
        ),
    }
    missing: list[str] = []
    for level in criteria.levels:
        unmet = [answer.why for ask in level.asks if not (answer := answers[ask]()).met]
        if not unmet:
            return Quality(level, tested, tuple(missing))
        missing += [f"{level.title}: {why}" for why in unmet]
    return Quality(criteria.levels[-1], tested, tuple(missing))


def is_tested(
    reports: Iterable[Report], criteria: Criteria, newest_torch: str, at: dt.datetime
) -> Answer:
    """Say whether the stable option is tested, by the best of the reports; else what is wrong."""
    wanted = criteria.tested
    why = "no run of a required suite is known"
    for report in reports:
        suites = {test.suite for test in report.tests} & {*wanted.suites}
        if report.kind == "baseline" or not suites or report.started is None:
            continue
        age = (at - report.started).days
        torch = report.environment.torch or ""
        if wanted.same_torch_minor and _minor(torch) != _minor(newest_torch):
            why = f"the run is about torch {torch or 'of no stated version'}, not {newest_torch}"
        elif age > wanted.report_days:
            why = f"the run is {age} days old, more than {wanted.report_days}"
        elif missing := _must_pass(report, wanted.must_pass):
            why = f"these operators did not pass: {', '.join(missing)}"
        else:
            return Answer(met=True, why=f"a run of {report.started:%Y-%m-%d} on torch {torch}")
    return Answer(met=False, why=why)


def _must_pass(report: Report, names: tuple[str, ...]) -> list[str]:
    passed = {test.name for test in report.tests if test.outcome in GOOD}
    return [name for name in names if name not in passed]


def _minor(version: str) -> tuple[int, ...] | None:
    try:
        return Version(version).release[:2]
    except InvalidVersion:
        return None
