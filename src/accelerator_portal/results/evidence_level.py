"""Computes a platform's level of evidence, such as "tested", and regressions from its reports.

`data/criteria.yaml` defines the levels and their demands, for example a recent run.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.criteria_file import (
    Criteria,
    Level,
    LevelRequirement,
    ModelRequirement,
    MustPass,
    Tested,
)
from accelerator_portal.catalog.message import comma_list, message, plural, semicolon_list
from accelerator_portal.results.history import History, HistoryPoint, ResultState
from accelerator_reports.comparison import EnvironmentDifference, environment_differences
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.report import OPERATORS_ON_CPU, Report, TestEntry
from accelerator_reports.test_ids import identity_of

MAX_LISTED_NAMES = 8
"""A sentence names at most this many operators, or one more if only one would be left out."""


@dataclass(frozen=True, slots=True)
class DemandResult:
    """Whether a platform meets a demand of a level of evidence.

    If the demand is not met, `why` is the reason. If the demand "tested" is met, `why` names the
    run. If another demand is met, `why` has no meaning.
    """

    met: bool
    why: str


@dataclass(frozen=True, slots=True)
class QualityAssessment:
    """A platform's level of evidence, and what it lacks for higher levels.

    `missing` has the reasons for the unmet demands of each higher level, highest level first.
    `demands` has the result of every demand.
    """

    level: Level
    missing: Mapping[Level, list[str]]
    demands: Mapping[LevelRequirement, DemandResult]

    @property
    def tested(self) -> DemandResult:
        """Whether the platform meets the demand "tested", and the reason."""
        return self.demands["tested"]


def as_of(catalog: Catalog, reports: Iterable[Report]) -> dt.datetime:
    """Return the time to which the site counts ages: the newest of the portal's own dates.

    The portal's own dates are:

    - the release dates of PyTorch
    - the days on which the portal read package indexes
    - the days on which the sources of releases and of criteria were read
    - the start and end times of this project's own runs

    The clock is not used, so that the same data gives the same pages. Vendors' dates are not used,
    because the date of one vendor would change the ages on all platforms.
    """
    days = [release.date for release in catalog.releases.releases]
    sources = [*catalog.releases.sources.values()]
    sources += catalog.criteria.sources.values() if catalog.criteria else ()
    days += [source.read for source in sources]
    days += [catalog.packages_read.read] if catalog.packages_read.read else ()
    moments = [dt.datetime.combine(day, dt.time(), dt.timezone.utc) for day in days]
    return max([*moments, *_report_times(r for r in reports if r.kind == "made-here")])


def as_of_reports(at: dt.datetime, reports: Iterable[Report]) -> dt.datetime:
    """Return the time to which the ages of a platform's reports are counted.

    This is `at` (the result of `as_of`), or the newest time of the platform's runs if it is later.
    """
    return max([at, *_report_times(report for report in reports if report.kind != "baseline")])


def _report_times(reports: Iterable[Report]) -> Iterator[dt.datetime]:
    for report in reports:
        yield from (moment for moment in (report.started, report.finished) if moment)


def assess_quality(
    platform: Platform,
    reports: list[Report],
    criteria: Criteria,
    newest_torch: str,
    at: dt.datetime,
) -> QualityAssessment:
    """Return the level of evidence of a platform, and what it lacks for higher levels.

    The level is the first level of the criteria whose demands the platform meets, or else the last
    level. `reports` are the platform's reports. `newest_torch` is the newest PyTorch release that
    the platform follows. Ages are counted to `at` (see `as_of`).
    """
    runs = [report for report in reports if report.kind != "baseline"]
    demands: dict[LevelRequirement, DemandResult] = {
        "command": DemandResult(bool(platform.install.options), message("no install command")),
        "maintainers": DemandResult(
            bool(platform.accelerator.maintainers), message("no maintainer")
        ),
        "baseline": DemandResult(bool(reports), message("no baseline")),
        "run": DemandResult(bool(runs), message("no runs")),
        "tested": is_tested(reports, criteria, newest_torch, at),
    }
    missing: dict[Level, list[str]] = {}
    for level in criteria.levels:
        unmet = [demands[ask].why for ask in level.asks if not demands[ask].met]
        if not unmet:
            return QualityAssessment(level, missing, demands)
        missing[level] = unmet
    return QualityAssessment(criteria.levels[-1], missing, demands)


def is_tested(
    reports: Iterable[Report], criteria: Criteria, newest_torch: str, at: dt.datetime
) -> DemandResult:
    """Return whether the runs among the reports meet the demand "tested", and the reason.

    A run counts if it is recent enough and, if the criteria ask for it, used the same minor release
    as `newest_torch`. Models and operators may be from different runs. For each test, the newest
    result counts.
    """
    tested_criteria = criteria.tested
    required_suites = {required.suite for required in tested_criteria.models.suites}
    why: str = message("no run of a required model suite")
    fit_runs: list[Report] = []
    suite_runs: list[tuple[dt.datetime, str]] = []
    for report in reports:
        if report.kind == "baseline" or report.started is None:
            continue
        unfit_reason = _unfit_reason(report, report.started, tested_criteria, newest_torch, at)
        if not unfit_reason:
            fit_runs.append(report)
        if not {test.suite for test in report.tests}.isdisjoint(required_suites):
            why = unfit_reason or why
            if not unfit_reason:
                suite_runs.append((report.started, report.environment.torch or ""))
    if not suite_runs:
        return DemandResult(met=False, why=why)
    problems = [*_model_problems(fit_runs, tested_criteria.models)]
    if tested_criteria.must_pass and (
        operator_problem := _required_operator_problem(fit_runs, tested_criteria.must_pass)
    ):
        problems.append(operator_problem)
    if problems:
        return DemandResult(met=False, why=semicolon_list(problems))
    started, torch_version = max(suite_runs)
    day = f"{started:%Y-%m-%d}"
    if not torch_version:
        return DemandResult(met=True, why=message("a run of {day} on torch", day=day))
    return DemandResult(
        met=True, why=message("a run of {day} on torch {torch}", day=day, torch=torch_version)
    )


def _unfit_reason(
    report: Report,
    started: dt.datetime,
    tested_criteria: Tested,
    newest_torch: str,
    at: dt.datetime,
) -> str | None:
    """Return why a run does not count for the demand "tested"; None if it counts."""
    torch_version = report.environment.torch or ""
    if tested_criteria.same_torch_minor and _minor(torch_version) != _minor(newest_torch):
        if not torch_version:
            return message(
                "the run states no torch version; torch {newest} is required", newest=newest_torch
            )
        return message(
            "the run used torch {torch}, not {newest}", torch=torch_version, newest=newest_torch
        )
    if (age := (at - started).days) > tested_criteria.report_days:
        limit = plural("{count} day", "{count} days", tested_criteria.report_days)
        return plural(
            "the run is {count} day old. The limit is {limit}",
            "the run is {count} days old. The limit is {limit}",
            age,
            limit=limit,
        )
    return None


def _model_problems(runs: Iterable[Report], required: ModelRequirement) -> Iterator[str]:
    """Yield what the models of each required suite lack; nothing if they meet the requirement."""
    newest: dict[str, dict[str, TestEntry]] = {}
    for run in sorted(runs, key=lambda run: str(run.started)):
        for test in run.tests:
            newest.setdefault(test.suite, {})[identity_of(test).key] = test
    for models in required.suites:
        tests = newest.get(models.suite, {}).values()
        counted = [test for test in tests if test.outcome in GOOD | BAD]
        number, passed = (
            len({test.name for test in counted}),
            sum(t.outcome in GOOD for t in counted),
        )
        wrong = dict.fromkeys(
            test.name for test in counted if test.outcome == "wrong-result" and not test.known_issue
        )
        if number < models.fewest:
            yield message(
                "{suite}: results for {number} models; {fewest} are required",
                suite=models.suite,
                number=number,
                fewest=models.fewest,
            )
        if wrong:
            yield message(
                "{suite}: wrong results without a known issue: {names}",
                suite=models.suite,
                names=_shortened_names([*wrong]),
            )
        if passed < required.passed_share * len(counted):
            yield message(
                "{suite}: {passed} of {total} passed; {percent} % must pass",
                suite=models.suite,
                passed=passed,
                total=len(counted),
                percent=round(100 * required.passed_share),
            )


def _required_operator_problem(reports: Iterable[Report], must_pass: MustPass) -> str | None:
    """Return a text that names the required operators that did not pass; None if all passed.

    An operator passes if each of its tests passed in the newest report with the test, and if the
    device computed the operator, not the CPU instead.
    """
    on_cpu: dict[str, set[str]] = {name: set() for name in must_pass.names}
    outcomes: dict[str, dict[str, Outcome]] = {name: {} for name in must_pass.names}
    oldest_first = sorted((r.started, n, r) for n, r in enumerate(reports) if r.started)
    for _, _, report in oldest_first:
        for test in report.tests:
            if _is_required_test(test, must_pass) and test.name in outcomes:
                key, keys_on_cpu = identity_of(test).key, on_cpu[test.name]
                outcomes[test.name][key] = test.outcome
                (keys_on_cpu.add if OPERATORS_ON_CPU in test.metrics else keys_on_cpu.discard)(key)
    failed = [
        name
        for name, outcome_by_key in outcomes.items()
        if not BAD.isdisjoint(outcome_by_key.values())
    ]
    passed = [
        name
        for name, outcome_by_key in outcomes.items()
        if outcome_by_key and GOOD.issuperset(outcome_by_key.values())
    ]
    names_on_cpu = [name for name in passed if on_cpu[name]]
    unknown = [name for name in outcomes if name not in {*failed, *passed}]
    if len(unknown) == len(outcomes):
        number = len(outcomes)
        return message("no results for any of the {number} required operators", number=number)
    parts = []
    if failed:
        parts.append(
            message("these operators did not pass: {names}", names=_shortened_names(failed))
        )
    if names_on_cpu:
        parts.append(
            message(
                "these operators fell back to the CPU: {names}",
                names=_shortened_names(names_on_cpu),
            )
        )
    if unknown:
        parts.append(
            message("no results for these operators: {names}", names=_shortened_names(unknown))
        )
    return semicolon_list(parts) if parts else None


def _is_required_test(test: TestEntry, must_pass: MustPass) -> bool:
    """Return whether a test has the required suite and parameters."""
    return test.suite == must_pass.suite and all(
        str(test.parameters.get(name)) == value for name, value in must_pass.parameters.items()
    )


def _shortened_names(names: list[str]) -> str:
    """Return the names as text, such as `a, b and 5 more`.

    If there are more than `MAX_LISTED_NAMES` + 1 names, the text has the first `MAX_LISTED_NAMES`
    names and the number of the other names.
    """
    more_count = len(names) - MAX_LISTED_NAMES
    if more_count <= 1:
        return comma_list(names)
    shown = comma_list(names[:MAX_LISTED_NAMES])
    return message("{names} and {number} more", names=shown, number=more_count)


def _minor(version: str) -> tuple[int, ...] | None:
    parsed_version = version_or_none(version)
    return parsed_version.release[:2] if parsed_version else None


# Finds regressions (called breakages in the code), flaky tests, and tests that never passed.

FLAKY_WINDOW = 8
"""The number of a test's last good and bad results that decide whether the test is flaky."""
FLAKY_FLIPS = 3
"""A test is flaky if it changes between good and bad at least this many times.

Only the last `FLAKY_WINDOW` good and bad results of the test count.
"""


@dataclass(frozen=True, slots=True)
class Breakage:
    """A test that passed in a run and fails in a later run.

    `id` stays the same while the breakage is open. `outcome` is the outcome of the last failure.
    `last_good` is the run with the last pass, and `first_bad` is the run with the first failure
    after it. `age` is the time since `first_bad`. `gone` is the first run after the last run with
    the test that should contain the test but does not, or None. A breakage stays open if its test
    is gone. It is overdue if `due` has passed. `flaky` says whether the test is flaky (see
    `is_flaky`).
    """

    id: str
    key: str
    outcome: Outcome
    last_good: HistoryPoint
    first_bad: HistoryPoint
    gone: HistoryPoint | None
    age: dt.timedelta
    due: dt.datetime
    overdue: bool
    flaky: bool

    @property
    def differences(self) -> tuple[EnvironmentDifference, ...]:
        """The differences between the environments of the runs `last_good` and `first_bad`."""
        return environment_differences(self.last_good.environment, self.first_bad.environment)


def open_breakages(
    history: History, at: dt.datetime, deadline: dt.timedelta
) -> tuple[Breakage, ...]:
    """Return the open breakages, sorted by age (oldest first) and key.

    Ages are counted to `at`. Breakages that began after `at` are omitted. A breakage is closed if
    the test passes in a later report of `history`, even in one after `at`. It is overdue if its age
    is more than `deadline`. If `history` contains baselines, the result is empty, because baselines
    are not runs.
    """
    breakages = [
        Breakage(
            _breakage_id(history, key, first_bad),
            key,
            failure,
            state.last_good,
            first_bad,
            state.gone,
            at - first_bad.started,
            due=first_bad.started + deadline,
            overdue=at - first_bad.started > deadline,
            flaky=is_flaky(state),
        )
        for key, state, first_bad, failure in _failing_tests(history, at)
        if state.last_good
    ]
    return tuple(sorted(breakages, key=lambda breakage: (breakage.first_bad.started, breakage.key)))


def never_passed_count(history: History, at: dt.datetime) -> int:
    """Return the number of tests that fail and never passed.

    Such a test is not a breakage, because it never worked. Tests that first failed after `at` are
    omitted. If `history` contains baselines (results that a vendor's CI expects), the result is 0.
    """
    return sum(state.last_good is None for _, state, _, _ in _failing_tests(history, at))


def _failing_tests(
    history: History, at: dt.datetime
) -> Iterator[tuple[str, ResultState, HistoryPoint, Outcome]]:
    if history.kind == "baselines":
        return
    for key, state in history.tests.items():
        first_bad, failure = state.first_bad, state.failure
        if first_bad and failure and first_bad.started <= at:
            yield key, state, first_bad, failure


def _breakage_id(history: History, key: str, first_bad: HistoryPoint) -> str:
    started = first_bad.started.astimezone(dt.timezone.utc).isoformat()
    text = f"{history.accelerator}\n{key}\n{started}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def has_change_on_same_code(state: ResultState) -> bool:
    """Return whether a test changed between good and bad while the tested code stayed the same.

    Only the last FLAKY_WINDOW good and bad results count.
    """
    return any(result.startswith("=") for result in state.recent[-FLAKY_WINDOW:])


def is_flaky(state: ResultState) -> bool:
    """Return whether a test is flaky.

    Only the last FLAKY_WINDOW good and bad results of the test count. It is flaky if they change
    at least FLAKY_FLIPS times, or once while the tested code stayed the same.
    """
    last = state.recent[-FLAKY_WINDOW:]
    changes = sum(previous[-1] != current[-1] for previous, current in pairwise(last))
    return changes >= FLAKY_FLIPS or has_change_on_same_code(state)
