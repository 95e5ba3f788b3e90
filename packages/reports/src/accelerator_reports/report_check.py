"""Checks test reports for faults that their schema cannot detect.

These are duplicate tests, contradictions, unknown and reserved names, excessive sizes and missing
facts.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report
from accelerator_reports.suite_file import SuiteFile
from accelerator_reports.suite_names import SuiteNames
from accelerator_reports.test_keys import IdentityValues, identity_values

MAX_LISTED_FAULTS = 20
"""The maximum number of faults of one kind that are listed for a report. If there are more, one
more fault states how many are not listed."""

MAX_SUITES = 100
MAX_MODES = 10
MAX_CELLS = 2_000_000

# Names of pages and files in the folder in which suites get theirs.
RESERVED_NAMES = frozenset(
    {
        "by-model",
        "changes",
        "compare",
        "dashboard",
        "feed.atom",
        "index",
        "runs",
        "standards",
        "weeks",
    }
)

_MODE = re.compile(r"(?=.{1,60}\Z)[a-z0-9]+(?:[-_.][a-z0-9]+)*")

# The test's index in the report (None for a fault of the whole report), what is wrong, and the fix.
ReportFault = tuple[int | None, str, str]

FaultAndRemedy = tuple[str, str]  # what is wrong, and the fix

FILE_REMEDIES: Mapping[str, str] = {
    "started": "add started",
    "times": "correct started or finished",
    "torch": "add environment.torch",
    "origins": "add origins",
    "suites": "put the tests of several suites into one, or split the report",
}
"""What to do about a fact that a report file lacks or contradicts, by the name of the fact."""


@dataclass(frozen=True)
class KnownNames:
    """The accelerators and test suites that the portal knows, to check the names in reports.

    `suites` has the suites in `data/suites/` by id. `own_suites` are the names of suites that
    vendors' folders declare. If `accelerators` is empty, every accelerator is accepted.
    """

    accelerators: frozenset[str] = frozenset()
    suites: Mapping[str, SuiteFile] = field(default_factory=dict)
    own_suites: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The names of vendors' suites, by alias: each key is an alias of the suite in the value."""
    plugin_packages: Mapping[str, str] = field(default_factory=dict)
    """The names of the plugins' packages, by accelerator. In-tree accelerators are absent."""
    unread: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    """The accelerators whose folders have errors, so that their own suites are unknown, and these
    errors."""
    remedies: Mapping[str, str] = field(default_factory=lambda: FILE_REMEDIES)
    """What to do about a missing fact, by the name of the fact (see `FILE_REMEDIES`)."""

    @property
    def suite_names(self) -> SuiteNames:
        """The ids of the suites in `data/suites/`, and the aliases of vendors' suites."""
        return SuiteNames(frozenset(self.suites), self.aliases)


def report_problems(
    report: Report, path: str, known: KnownNames, now: dt.datetime, first_test: int | None = None
) -> Iterator[Problem]:
    """Yield the problems of a report that its schema does not detect.

    The problems name the report's `path`. Start and end times after `now` are a problem.
    `first_test` is the line of the report's first test in the file. It is None if the file does not
    have one line per test.
    """
    for index, what, remedy in _report_faults(report, known, now):
        line = 1 if index is None or first_test is None else first_test + index
        yield Problem(path, line, what, remedy)


def _report_faults(report: Report, known: KnownNames, now: dt.datetime) -> Iterator[ReportFault]:
    yield from ((None, *fault) for fault in site_limit_faults(report, known.remedies))
    yield from _run_faults(report, known, now)
    yield from _missing_fact_faults(report, known.remedies)
    yield from first_faults(_suite_faults(report, known), "faults of suites")
    yield from first_faults(_test_faults(report))


def _run_faults(report: Report, known: KnownNames, now: dt.datetime) -> Iterator[ReportFault]:
    if known.accelerators and report.accelerator not in known.accelerators:
        what = f'there is no platform "{report.accelerator}"'
        yield None, what, did_you_mean(report.accelerator, known.accelerators)
    if report.started and report.finished and report.finished < report.started:
        yield None, "the end time is before the start time", known.remedies["times"]
    for name, moment in (("started", report.started), ("finished", report.finished)):
        if moment and moment > now:
            yield None, f"{name} is in the future ({moment:%Y-%m-%d})", "correct it"
    if not report.tests and report.kind != "baseline":
        yield None, "the report has no tests", "correct the command that runs or imports the tests"
    if shard := report.shard:
        what = f"the report is shard {shard.name}, a part of a run"
        yield None, what, "merge all shards with accelerator-portal report merge"


def _missing_fact_faults(report: Report, remedies: Mapping[str, str]) -> Iterator[ReportFault]:
    if report.kind != "baseline":
        if report.started is None:
            yield None, "the run has no start time", remedies["started"]
        if report.environment.torch is None:
            yield None, "the run has no PyTorch version", remedies["torch"]
    elif not report.origins:
        yield None, "the baseline has no origin", remedies["origins"]


def _suite_faults(report: Report, known: KnownNames) -> Iterator[ReportFault]:
    counts_by_suite = Counter(test.suite for test in report.tests)
    for name, times in Counter(suite.name for suite in report.suites).items():
        if times > 1:
            yield None, f'the suite "{name}" is listed twice in suites', "merge the two"
    for suite in report.suites:
        described = known.suites.get(suite.name)
        if described and described.kind != suite.kind:
            what = f'the suite "{suite.name}" is of kind {described.kind}, not {suite.kind}'
            yield None, what, "correct its kind"
        if suite.planned is not None and suite.planned < counts_by_suite[suite.name]:
            what = (
                f'"{suite.name}" planned {count(suite.planned, "test")}, '
                f"but the report has {counts_by_suite[suite.name]:,}"
            )
            yield None, what, "correct planned"
    declared = {suite.name for suite in report.suites}
    for name in sorted(set(counts_by_suite) - declared):
        yield (
            None,
            f'the suite "{name}" is used in tests but missing from suites',
            "add it to suites",
        )


def _test_faults(report: Report) -> Iterator[ReportFault]:
    index_by_identity: dict[IdentityValues, int] = {}
    for index, test in enumerate(report.tests):
        first_index = index_by_identity.setdefault(identity_values(test), index)
        if first_index != index:
            what = f'"{test.name}" is listed twice with the same parameters'
            yield index, what, "remove one, or add what differs"
        if test.outcome in {"skipped", "not-run"} and not (test.reason or test.known_issue):
            yield index, f'"{test.name}" is {test.outcome} but has no reason', "add reason"


def first_faults(
    faults: Iterable[ReportFault], noun: str = "tests have problems"
) -> Iterator[ReportFault]:
    """Yield at most `MAX_LISTED_FAULTS` of the faults, then one that says how many are left out.

    The text of the last fault is their number, `more` and `noun`: `12 more tests have problems`. If
    no fault is left out, there is no such fault.
    """
    more_count = 0
    for number, fault in enumerate(faults):
        if number < MAX_LISTED_FAULTS:
            yield fault
        else:
            more_count += 1
    if more_count:
        yield (
            None,
            f"{more_count:,} more {noun}",
            "fix the listed problems, then run the check again",
        )


def too_many_suites_fault(
    number: int, remedies: Mapping[str, str] = FILE_REMEDIES
) -> FaultAndRemedy:
    """Return what is wrong with a report that has `number` suites, and the fix."""
    return f"{number:,} suites, more than {MAX_SUITES}", remedies["suites"]


def site_limit_faults(
    report: Report, remedies: Mapping[str, str] = FILE_REMEDIES
) -> Iterator[FaultAndRemedy]:
    """Yield the faults because of which the site cannot have pages for a report.

    These are too many suites, modes or table cells, reserved suite names and invalid modes.
    """
    declared = (suite.name for suite in report.suites)
    names = dict.fromkeys((*declared, *(test.suite for test in report.tests)))
    if (number := max(len(names), len(report.suites))) > MAX_SUITES:
        yield too_many_suites_fault(number, remedies)
        return  # each of them may have faults of its own
    for name in names:
        if name in RESERVED_NAMES:
            yield f'"{name}" is a reserved suite name', "choose another name"
    yield from _mode_faults(report)
    yield from _table_size_faults(report)


def _mode_faults(report: Report) -> Iterator[FaultAndRemedy]:
    modes = dict.fromkeys(str(test.parameters.get("mode", "")) for test in report.tests)
    for mode in modes:
        if mode and not _MODE.fullmatch(mode):
            remedy = "use lowercase letters and digits, separated by a single -, _ or ."
            yield f'"{mode[:60]}" is not a valid mode', remedy
            return
    if len(modes) > MAX_MODES:
        remedy = "use another parameter than mode"
        yield f"the tests have {len(modes):,} modes, more than {MAX_MODES}", remedy


def _table_size_faults(report: Report) -> Iterator[FaultAndRemedy]:
    """Yield a fault if the result tables on the site would have more than `MAX_CELLS` cells.

    Each suite and mode has a table, with a row per test and a column per set of parameters.
    """
    rows: defaultdict[tuple[str, object], set[str]] = defaultdict(set)
    columns: defaultdict[tuple[str, object], set[frozenset[tuple[str, object]]]] = defaultdict(set)
    for test in report.tests:
        key = (test.suite, test.parameters.get("mode"))
        rows[key].add(test.name)
        columns[key].add(frozenset(test.parameters.items()))
    cells = sum(len(rows[key]) * len(columns[key]) for key in rows)
    if cells > MAX_CELLS:
        what = f"the tables would have {cells:,} cells, more than {MAX_CELLS:,}"
        yield what, "use test names instead of parameters to distinguish tests"
