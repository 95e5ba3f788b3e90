"""Computes the state of each test and its changes over time, from one report after the other."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import unquote

from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.history_state import (
    Group,
    HistoryPoint,
    State,
    StoredTestState,
    basis_of,
    initial_test_state,
    origins_of,
    updated_test_state,
)
from accelerator_reports.file_reading import file_error
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import Outcome, Stage, verdict
from accelerator_reports.report import Report
from accelerator_reports.test_keys import identity_of, parse_key

ChangeKind = Literal[
    "new", "gone", "returned", "regressed", "fixed", "changed", "expectation changed"
]

OutcomeAndStage = tuple[Outcome, Stage | None]

# Environment fields that were added to the format after reports had been archived under their ids.
# If absent, they are left out of the digest, so that these reports keep their ids.
_FIELDS_ADDED_LATER = ("backend",)

_REPORT = Path("report.json")
_REBUILD_REMEDY = "rebuild the history from all reports"


class OutcomeChange(NamedTuple):
    """The change of a test between a report and the last earlier report that has the test.

    The outcome or stage changed, or the test is new, gone, or back after it was gone.
    """

    started: dt.datetime
    """The start time of the report."""
    report: str
    """The id of the report."""
    key: str
    """The key of the test."""
    kind: ChangeKind
    """The kind of change. In a baseline, a changed outcome is `expectation changed`."""
    outcome: Outcome | None
    """The outcome in the report; None if the test is gone."""
    stage: Stage | None
    """The last stage that the test reached in the report."""
    outcome_before: Outcome | None
    """The outcome in the earlier report; None if the test is new."""
    stage_before: Stage | None
    """The last stage that the test reached in the earlier report."""


def fold_report(
    state: State, report: Report, path: Path = _REPORT
) -> tuple[State, tuple[OutcomeChange, ...]]:
    """Return the state after one more report, and the report's changes sorted by test key.

    A report that is already in the state changes nothing. Reports with the same start time can be
    added in any order.

    A group consists of the tests of a suite with the same settings (see `test_keys.SETTINGS`). A
    test is gone if a report contains its group but not the test. Only reports of complete suites
    count for this: see `_complete_suites`.

    Raises ProblemsError if the report belongs to another accelerator or basis, has no start time,
    starts before the newest report, or contains a test twice. Also raises it if another report with
    the same start time has tests of the same group. The error names the report file `path`.
    """
    _check_same_history(state, report, path)
    outcomes = _outcomes_by_group(report, path)
    point = _point_from_outcomes(report, _start_time(report, path), outcomes)
    if point.id in state.reports:
        return state, ()
    _check_report_order(state, point, outcomes, path)
    groups = dict(state.groups)
    changes: list[OutcomeChange] = []
    complete_suites = _complete_suites(report)
    for name, tests in outcomes.items():
        complete = unquote(name.partition("?")[0]) in complete_suites
        gone = _gone_keys(groups.get(name), tests) if complete else ()
        groups[name] = _updated_group(groups.get(name), tests, point, changes, gone)
    new_state = replace(state, reports={**state.reports, point.id: point}, groups=groups)
    return new_state, tuple(sorted(changes, key=lambda change: change.key))


def state_with_archived_report(
    state: State, at: HistoryPoint, outcomes: Mapping[str, OutcomeAndStage], gone: Iterable[str]
) -> State:
    """Return the state after one more report, computed from archived data instead of the report.

    `at` has the facts about the report. `outcomes` maps the key of each test in the report to its
    outcome and stage. `gone` has the keys of the tests that the report should contain but does not.
    """
    by_group: dict[str, dict[str, OutcomeAndStage]] = {}
    for key, outcome in outcomes.items():
        by_group.setdefault(parse_key(key).group, {})[key] = outcome
    gone_keys_by_group = grouped((parse_key(key).group, key) for key in gone)
    groups = dict(state.groups)
    for name in by_group.keys() | gone_keys_by_group.keys():
        groups[name] = _updated_group(
            groups.get(name), by_group.get(name, {}), at, [], gone_keys_by_group.get(name, ())
        )
    return replace(state, reports={**state.reports, at.id: at}, groups=groups)


def history_point(report: Report, path: Path) -> HistoryPoint:
    """Return the facts about a report that a history stores, such as its id and start time.

    Raises ProblemsError if the report has no start time or contains a test twice. The error names
    the report file `path`.
    """
    return _point_from_outcomes(report, _start_time(report, path), _outcomes_by_group(report, path))


def _check_same_history(state: State, report: Report, path: Path) -> None:
    if report.accelerator != state.accelerator:
        what = f'the report is about "{report.accelerator}", not "{state.accelerator}"'
        raise file_error(path, 1, what, "add it to that platform's history")
    if basis_of(report) != state.basis:
        what = f"a report of kind {report.kind} cannot be added to a history of {state.basis}"
        raise file_error(path, 1, what, "keep runs and baselines in two histories")


def _start_time(report: Report, path: Path) -> dt.datetime:
    if report.started is None:
        raise file_error(path, 1, "the report has no start time", "add started")
    return report.started


def _outcomes_by_group(report: Report, path: Path) -> dict[str, dict[str, OutcomeAndStage]]:
    """Return the outcome and stage of each test in a report, by group and then by test key.

    Raises ProblemsError if the report contains a test twice. The error names the report file
    `path`.
    """
    outcomes: dict[str, dict[str, OutcomeAndStage]] = {}
    repeated_keys: dict[str, None] = {}
    for test in report.tests:
        identity = identity_of(test)
        key = identity.key
        group = outcomes.setdefault(identity.group, {})
        if key in group:
            repeated_keys[key] = None
        group[key] = (test.outcome, test.stage)
    if repeated_keys:
        more = (
            f" (and {count(len(repeated_keys) - 1, 'more test')})" if len(repeated_keys) > 1 else ""
        )
        what = f'"{min(repeated_keys)}" is listed twice in the report{more}'
        raise file_error(path, 1, what, "remove one, or add what differs")
    return outcomes


def _point_from_outcomes(
    report: Report, started: dt.datetime, outcomes: Mapping[str, Mapping[str, OutcomeAndStage]]
) -> HistoryPoint:
    head = report.model_dump(mode="json", include={"accelerator", "kind", "trigger", "environment"})
    for name in _FIELDS_ADDED_LATER:
        if head["environment"][name] is None:
            del head["environment"][name]
    head["started"] = started.isoformat()
    head["planned"] = sorted((suite.name, suite.planned) for suite in report.suites)
    lines = [f"{key} {o} {s}" for tests in outcomes.values() for key, (o, s) in tests.items()]
    text = "\n".join([json.dumps(head, sort_keys=True), *sorted(lines)])
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    origins = origins_of(report)
    return HistoryPoint(digest, started, report.kind, report.trigger, report.environment, origins)


def _check_report_order(
    state: State, point: HistoryPoint, group_names: Iterable[str], path: Path
) -> None:
    last = state.last
    if last and point.started < last:
        latest = f"the latest report ({_time_text(last)})"
        what = f"the report started {_time_text(point.started)}, before {latest}"
        raise file_error(path, 1, what, f"remove the report, or {_REBUILD_REMEDY}")
    for name in sorted(group_names):
        if name in state.groups and state.groups[name].last.started == point.started:
            what = f'another report of {_time_text(point.started)} already has tests of "{name}"'
            raise file_error(
                path, 1, what, f"remove one of the two or merge them; then {_REBUILD_REMEDY}"
            )


def _time_text(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def _complete_suites(report: Report) -> frozenset[str]:
    """Return the names of the suites that a report contains completely.

    A suite is complete if the report has at least the planned number of its tests, or if this
    number is unknown. A test that is missing from a complete suite is gone. Runs with the trigger
    `pull-request`, `manual` or `unknown` may run any part of a suite, so they have no complete
    suites.
    """
    partly = {"pull-request", "manual", "unknown"}
    if report.trigger.kind in partly and report.kind != "baseline":
        return frozenset()
    counts = Counter(test.suite for test in report.tests)
    planned = {suite.name: suite.planned or 0 for suite in report.suites}
    return frozenset(name for name in counts if counts[name] >= planned.get(name, 0))


def _updated_group(
    group: Group | None,
    outcomes: Mapping[str, OutcomeAndStage],
    point: HistoryPoint,
    changes: list[OutcomeChange],
    gone: Iterable[str],
) -> Group:
    tests = dict(group.tests) if group else {}
    for key in gone:
        if before := tests.get(key):
            tests[key] = before._replace(gone=point)
            changes.append(_change(point, key, "gone", None, before))
    for key, (outcome, stage) in outcomes.items():
        state_before = tests.get(key)
        if state_before is None:
            tests[key] = initial_test_state(outcome, stage, point)
            changes.append(_change(point, key, "new", tests[key], None))
            continue
        tests[key] = after = updated_test_state(state_before, outcome, stage, point)
        if after.since is point:
            changes.append(
                _change(point, key, _change_kind(state_before, after), after, state_before)
            )
    return Group(point, tests)


def _gone_keys(group: Group | None, outcomes: Mapping[str, OutcomeAndStage]) -> Iterator[str]:
    tests = group.tests if group else {}
    return (key for key in sorted(tests.keys() - outcomes) if tests[key].gone is None)


def _change(
    point: HistoryPoint,
    key: str,
    kind: ChangeKind,
    after: StoredTestState | None,
    before: StoredTestState | None,
) -> OutcomeChange:
    if point.kind == "baseline" and kind in {"regressed", "fixed", "changed"}:
        kind = "expectation changed"
    return OutcomeChange(
        point.started,
        point.id,
        key,
        kind,
        after.outcome if after else None,
        after.stage if after else None,
        before.outcome if before else None,
        before.stage if before else None,
    )


def _change_kind(before: StoredTestState, after: StoredTestState) -> ChangeKind:
    sign, last_sign = verdict(after.outcome), before.recent[-1:]
    if sign and last_sign and sign != last_sign:
        return "fixed" if sign == "+" else "regressed"
    return "returned" if before.gone else "changed"


@dataclass(frozen=True, slots=True)
class ReportChanges:
    """The changes of tests in one report, compared with earlier reports; `report` is its id.

    If no earlier report has a suite, the tests of this suite are not in `changes`. They are only
    counted: `first` maps each of these suites to its number of tests.
    """

    started: dt.datetime
    report: str
    first: Mapping[str, int]
    changes: tuple[OutcomeChange, ...]


def changes_by_report(changes: Iterable[OutcomeChange]) -> Iterator[ReportChanges]:
    """Yield the changes grouped by report, oldest report first."""
    seen: set[str] = set()
    ordered = sorted(changes, key=lambda change: (change.started, change.report))
    for (started, report_id), report_changes in groupby(
        ordered, key=lambda c: (c.started, c.report)
    ):
        first_counts: Counter[str] = Counter()
        other_changes: list[OutcomeChange] = []
        for change in report_changes:
            suite = parse_key(change.key).suite
            if suite in seen:
                other_changes.append(change)
            else:
                first_counts[suite] += 1
        seen.update(first_counts)
        yield ReportChanges(started, report_id, dict(first_counts), tuple(other_changes))
