"""Compares a report about a PyTorch change with a platform's earlier runs, to find new failures.

The base is the platform's history of runs (`data/history/`). A failing test is newly broken if it
passed in its last run on the base, is not flaky there, and has no known issue. The base must have
at least `FEWEST_RUNS` runs of the test and a recent pass. Otherwise, the test cannot be compared.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from accelerator_portal.results.evidence_level import is_flaky
from accelerator_portal.results.history import History, ResultState
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.known_issues import KnownFailure, issue_matches_test
from accelerator_reports.outcomes import Outcome, verdict
from accelerator_reports.report import Moment, Report, TestEntry
from accelerator_reports.test_ids import identity_of

MOST_KEPT = 20

OLDEST_BASE = dt.timedelta(days=14)
"""The maximum age of a test's last pass on the base. If it is older, any change since then may have
broken the test."""

FEWEST_RUNS = 2
"""The minimum number of a test's runs on the base; with fewer, it may have passed by chance."""

_LONGEST_KEY = 300
_LONGEST_TEXT = 200

NewsVerdict = Literal["newly broken", "red already", "flaky", "known", "mended", "no base", ""]


class NewFailure(StrictModel):
    """A failing test, with the details that a comment shows."""

    key: Annotated[str, Field(max_length=_LONGEST_KEY + 1)]
    """The key of the test's identity (suite, name, parameters), shortened if it is very long."""
    outcome: Outcome
    """The outcome in the report."""
    reason: Annotated[str, Field(max_length=_LONGEST_TEXT + 1)] = ""
    """The reason that the report states, shortened."""
    command: Annotated[str, Field(max_length=_LONGEST_TEXT + 1)] = ""
    """The command that repeats the test, if the report states it."""
    bad: NonNegativeInt = 0
    """How many of the test's `of` last runs on the base failed."""
    of: NonNegativeInt = 0
    """The number of the test's last runs on the base that passed or failed."""


class ReportNews(StrictModel):
    """A report compared with its base: the number of tests by result of the comparison."""

    newly: Annotated[tuple[NewFailure, ...], Field(max_length=MOST_KEPT)] = ()
    """The first newly broken tests, sorted by key."""
    flaky: Annotated[tuple[NewFailure, ...], Field(max_length=MOST_KEPT)] = ()
    """The first tests counted in `flaky_failing`, sorted by key."""
    newly_broken: NonNegativeInt = 0
    """The number of newly broken tests."""
    red_already: NonNegativeInt = 0
    """The number of tests that fail now and already fail on the base, and are not flaky there."""
    flaky_failing: NonNegativeInt = 0
    """The number of tests that fail now without a known issue and are flaky on the base."""
    known: NonNegativeInt = 0
    """The number of tests that fail now with a known issue, without those in `red_already`."""
    mended: NonNegativeInt = 0
    """The number of tests that fail on the base and pass now."""
    no_base: NonNegativeInt = 0
    """The number of tests that fail now without a known issue and cannot be compared. They have no
    result or too few results on the base, or their last pass is too old."""
    tests: NonNegativeInt = 0
    """The number of tests in the report."""
    silent: NonNegativeInt = 0
    """The number of tests in the report that neither pass nor fail, such as skipped ones."""
    base: Moment | None = None
    """When the base's newest report started; None without a base."""

    @property
    def passed(self) -> int:
        """The number of tests that pass."""
        failing = self.newly_broken + self.red_already + self.flaky_failing + self.known
        return self.tests - self.silent - failing - self.no_base


def report_news(
    report: Report, base: History, issues: Iterable[KnownFailure], today: dt.date
) -> ReportNews:
    """Return a report compared with its platform's history.

    `issues` are the platform's known issues. Known issues that expire by `today` are ignored.
    """
    current_issues = [issue for issue in issues if issue.expires > today]
    failures_by_verdict: dict[str, list[NewFailure]] = {}
    for test in report.tests:
        identity = identity_of(test)
        base_state = base.tests.get(identity.key)
        result = _news_verdict(test, base_state, today)
        if result in {"newly broken", "flaky", "no base"} and (
            test.known_issue or any(issue_matches_test(issue, identity) for issue in current_issues)
        ):
            result = "known"
        failures_by_verdict.setdefault(result, []).append(
            _new_failure(identity.key, test, base_state)
        )
    newly, flaky = (
        sorted(failures_by_verdict.get(name, []), key=lambda failure: failure.key)
        for name in ("newly broken", "flaky")
    )
    return ReportNews(
        newly=tuple(newly[:MOST_KEPT]),
        flaky=tuple(flaky[:MOST_KEPT]),
        newly_broken=len(newly),
        flaky_failing=len(flaky),
        red_already=len(failures_by_verdict.get("red already", [])),
        known=len(failures_by_verdict.get("known", [])),
        mended=len(failures_by_verdict.get("mended", [])),
        no_base=len(failures_by_verdict.get("no base", [])),
        tests=len(report.tests),
        silent=sum(not verdict(test.outcome) for test in report.tests),
        base=base.last,
    )


def _news_verdict(test: TestEntry, base_state: ResultState | None, today: dt.date) -> NewsVerdict:
    sign = verdict(test.outcome)
    last_sign = base_state.signs[-1:] if base_state else ""
    if sign == "+":
        return "mended" if last_sign == "-" else ""
    if not sign:
        return ""
    if base_state is None or not last_sign:
        return "no base"
    if is_flaky(base_state):
        return "flaky"
    if last_sign == "-":
        return "red already"
    return "newly broken" if _has_base(base_state, today) else "no base"


def _has_base(base_state: ResultState, today: dt.date) -> bool:
    """Return whether a test has a base: a recent pass, and at least `FEWEST_RUNS` runs."""
    good = base_state.last_good
    recent = good is not None and today - good.started.date() <= OLDEST_BASE
    return recent and len(base_state.recent) >= FEWEST_RUNS


def _new_failure(key: str, test: TestEntry, base_state: ResultState | None) -> NewFailure:
    recent = base_state.recent if base_state else ()
    return NewFailure(
        key=_shortened_line(key, _LONGEST_KEY),
        outcome=test.outcome,
        reason=_shortened_line(test.reason or "", _LONGEST_TEXT),
        command=_shortened_line(test.command or "", _LONGEST_TEXT),
        bad=sum(result.endswith("-") for result in recent),
        of=len(recent),
    )


def _shortened_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
