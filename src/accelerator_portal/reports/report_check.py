"""What a schema cannot see in a report: contradictions, doubles, unknown names."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from accelerator_portal.catalog.problem import Problem, did_you_mean
from accelerator_portal.catalog.suite_file import SuiteFile
from accelerator_portal.reports import bounds
from accelerator_portal.reports.identity import Identity, identity_of
from accelerator_portal.reports.report import Report

# A device in a name makes a test another one on each accelerator, and nothing can be compared.
_CARD = r"gfx[0-9a-f]{3,5}|[ahv]100|h200|b200|mi[23][0-9]{2}x?|910b[0-9]?"
_CARDS = re.compile(rf"(?<![a-z0-9])({_CARD})(?![a-z0-9])", re.IGNORECASE)
# In unit tests these are features of PyTorch: `test_cuda_graphs`.
_DEVICES = re.compile(
    rf"(?<![a-z0-9])(cuda|rocm|xpu|npu|mps|hpu|tpu|mlu|musa|{_CARD})(?![a-z0-9])", re.IGNORECASE
)

# Of faults that every test may have, so many are named one by one.
_MOST_SHOWN = 20

ReportFault = tuple[int | None, str, str]  # number of the test, what is wrong, what would be right


@dataclass(frozen=True)
class Known:
    """What the portal knows: ids of accelerators, and suites by id."""

    accelerators: frozenset[str] = frozenset()
    suites: Mapping[str, SuiteFile] = field(default_factory=dict)


def report_problems(
    report: Report, path: str, known: Known, now: dt.datetime, first_test: int | None = None
) -> Iterator[Problem]:
    """Yield what is wrong with a report that its schema accepts.

    `first_test` is the line of the first test, where each stands on a line of its own.
    """
    for place, what, remedy in _findings(report, known, now):
        line = 1 if place is None or first_test is None else first_test + place
        yield Problem(path, line, what, remedy)


def _findings(report: Report, known: Known, now: dt.datetime) -> Iterator[ReportFault]:
    yield from ((None, *fault) for fault in bounds.faults(report))
    yield from _of_the_run(report, known, now)
    yield from _of_suites(report, known)
    yield from _limited(_of_tests(report, known))


def _of_the_run(report: Report, known: Known, now: dt.datetime) -> Iterator[ReportFault]:
    if report.accelerator not in known.accelerators:
        what = f'there is no accelerator "{report.accelerator}"'
        yield None, what, did_you_mean(report.accelerator, known.accelerators)
    if report.started and report.finished and report.finished < report.started:
        yield None, "the run ends before it starts", "correct started or finished"
    for name, moment in (("started", report.started), ("finished", report.finished)):
        if moment and moment > now:
            yield None, f"{name} lies in the future ({moment:%Y-%m-%d})", "correct it"
    if shard := report.shard:
        what = f"the report is shard {shard.name}, a part of a run"
        yield None, what, "join all shards with accelerator-portal report merge"
    if report.kind != "baseline":
        if report.started is None:
            yield None, "the run does not say when it started", "add started"
        if report.environment.torch is None:
            yield None, "the run does not say which torch it used", "add environment.torch"
    elif not report.origins:
        yield None, "the baseline does not say where it comes from", "add origins"


def _of_suites(report: Report, known: Known) -> Iterator[ReportFault]:
    ran = Counter(test.suite for test in report.tests)
    for name, count in Counter(suite.name for suite in report.suites).items():
        if count > 1:
            yield None, f'the suite "{name}" stands twice in suites', "join the two"
    for suite in report.suites:
        described = known.suites.get(suite.name)
        if described and described.kind != suite.kind:
            what = f'the suite "{suite.name}" is of kind {described.kind}, not {suite.kind}'
            yield None, what, "correct its kind"
        if suite.planned is not None and suite.planned < ran[suite.name]:
            what = f'"{suite.name}" planned {suite.planned} tests and has {ran[suite.name]}'
            yield None, what, "correct planned"
        if suite.kind == "model" and described is None:
            what = f'the portal knows no suite of models "{suite.name}"'
            yield None, what, did_you_mean(suite.name, known.suites)
    declared = {suite.name for suite in report.suites}
    for name in sorted(set(ran) - declared):
        yield None, f'tests name the suite "{name}", suites does not', "declare it in suites"


def _of_tests(report: Report, known: Known) -> Iterator[ReportFault]:
    first: dict[Identity, int] = {}
    names = {name: frozenset(suite.tests) for name, suite in known.suites.items()}
    unit = {suite.name for suite in report.suites if suite.kind == "unit"}
    for place, test in enumerate(report.tests):
        other = first.setdefault(identity_of(test), place)
        if other != place:
            what = f'"{test.name}" stands twice with the same parameters'
            yield place, what, "keep one, or name what differs"
        if test.outcome in {"skipped", "not-run"} and not (test.reason or test.known_issue):
            yield place, f'"{test.name}" is {test.outcome} without a reason', "add reason"
        if test.suite in names and test.name not in names[test.suite]:
            remedy = f"{did_you_mean(test.name, names[test.suite])[:200]}"
            yield place, f'"{test.suite}" has no test "{test.name}"', remedy
        elif test.suite not in names and (device := _hardware(test.name, unit=test.suite in unit)):
            what = f'the name "{test.name}" holds hardware ("{device}")'
            yield place, what, "leave the device out of names"


def _hardware(name: str, *, unit: bool) -> str | None:
    found = (_CARDS if unit else _DEVICES).search(name)
    return found[0] if found else None


def _limited(findings: Iterable[ReportFault]) -> Iterator[ReportFault]:
    """Name the first of many; say how many more there are."""
    more = 0
    for number, finding in enumerate(findings):
        if number < _MOST_SHOWN:
            yield finding
        else:
            more += 1
    if more:
        yield None, f"{more:,} more tests have faults", "mend those named, then check again"
