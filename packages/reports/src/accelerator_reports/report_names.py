"""Completes the suite names in reports, and warns of suite and test names that are not comparable.

Results can be compared only if platforms use the same names. The site shows results despite the
warnings, because vendors may report their own suites and tests.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from itertools import chain

from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.report_check import (
    MAX_LISTED_FAULTS,
    KnownNames,
    ReportFault,
    first_faults,
)
from accelerator_reports.suite_file import SUITES_WITHOUT_FILE
from accelerator_reports.suite_names import SuiteNames, suite_owner

# With a device in its name, a test has another name on each accelerator and cannot be compared.
_CARD = r"gfx[0-9a-f]{3,5}|[ahv]100|h200|b200|mi[23][0-9]{2}x?|910b[0-9]?"
_CARDS = re.compile(rf"(?<![a-z0-9])({_CARD})(?![a-z0-9])", re.IGNORECASE)
# Not used for unit tests, where such names are features of PyTorch: `test_cuda_graphs`.
_DEVICES = re.compile(
    rf"(?<![a-z0-9])(cuda|rocm|xpu|npu|mps|hpu|tpu|mlu|musa|{_CARD})(?![a-z0-9])", re.IGNORECASE
)


def name_warnings(
    report: Report, path: str, known: KnownNames, first_test: int | None = None
) -> Iterator[Problem]:
    """Yield warnings about unknown suites, and about test names that are not comparable.

    A suite is unknown if it is neither in `data/suites/` nor declared by a vendor's folder. For a
    suite in `data/suites/`, each test that the suite's file does not list gets a warning. For
    other suites, except vendors' own, each test whose name contains a device gets a warning. After
    `MAX_LISTED_FAULTS` warnings about tests, a last warning states how many tests are not listed.
    `first_test` is the line of the first test. It is None if the file does not have one line per
    test.
    """
    faults = chain(_suite_faults(report, known), first_faults(_test_name_faults(report, known)))
    for index, what, remedy in faults:
        line = 1 if index is None or first_test is None else first_test + index
        yield replace(Problem(path, line, what, remedy), level="warning")


def with_full_suite_names(report: Report, names: SuiteNames) -> Report:
    """Return a report with full suite names: `pytest` becomes `acme/pytest`.

    See `SuiteNames.full_name`.
    """
    return _with_renamed_suites(report, lambda suite: names.full_name(suite, report.accelerator))


def with_imported_suite_names(report: Report, known: KnownNames) -> Report:
    """Return an imported report with full suite names, see `full_imported_name`."""
    return _with_renamed_suites(
        report, lambda suite: full_imported_name(suite, report.accelerator, known)
    )


def full_imported_name(suite: str, accelerator: str, known: KnownNames) -> str:
    """Return the full name of a suite that an imported file names: `acme/tests-unit`.

    In an imported name, such as `tests/unit`, the part before the slash is often a folder of the
    test tool. If it is not the id of a platform, a hyphen replaces the slash.
    `SuiteNames.full_name` then completes the name.
    """
    owner = suite_owner(suite)
    vendors = {accelerator, *known.accelerators}
    name = suite.replace("/", "-") if owner and owner not in vendors else suite
    return known.suite_names.full_name(name, accelerator)


def _with_renamed_suites(report: Report, full: Callable[[str], str]) -> Report:
    suites = dict.fromkeys([*(s.name for s in report.suites), *(t.suite for t in report.tests)])
    names = {suite: full(suite) for suite in suites}
    if all(name == suite for suite, name in names.items()):
        return report
    return report.model_copy(
        update={
            "suites": tuple(s.model_copy(update={"name": names[s.name]}) for s in report.suites),
            "tests": tuple(t.model_copy(update={"suite": names[t.suite]}) for t in report.tests),
        }
    )


def _suite_faults(report: Report, known: KnownNames) -> Iterator[ReportFault]:
    names = known.suite_names
    for suite in report.suites if names.portal else ():
        name = names.full_name(suite.name, report.accelerator)
        if name in names.portal or name in SUITES_WITHOUT_FILE or name in known.own_suites:
            continue
        if suite_owner(name) in known.unread:
            continue  # the folder may declare it
        yield (
            None,
            f'no vendor folder declares the suite "{name}"',
            _suite_remedy(name, report, known),
        )


def _suite_remedy(name: str, report: Report, known: KnownNames) -> str:
    owner, _, own_name = name.partition("/")
    if owner != report.accelerator:
        return f'write "{report.accelerator}/{own_name}", unless the platforms share the suite'
    close_matches = difflib.get_close_matches(own_name, sorted(known.suites), n=1, cutoff=0.8)
    if close_matches:
        question = f'did you mean "{close_matches[0]}"?'
        return f"{question} If it is your own suite, declare it in accelerator.yaml"
    declare = "declare it with a title and a link in accelerator.yaml, under suites"
    owner_suites = sorted(suite for suite in known.own_suites if suite_owner(suite) == owner)
    if not owner_suites:
        return declare
    (renamed,) = difflib.get_close_matches(name, owner_suites, n=1, cutoff=0)
    return f'{declare}; if it is "{renamed}" under a new name, add the name to its aliases there'


def _test_name_faults(report: Report, known: KnownNames) -> Iterator[ReportFault]:
    tests_by_suite = {name: frozenset(suite.tests) for name, suite in known.suites.items()}
    unit_suites = {suite.name for suite in report.suites if suite.kind == "unit"}
    unknown_count = 0
    for index, test in enumerate(report.tests):
        if test.suite in tests_by_suite:
            if test.name not in tests_by_suite[test.suite]:
                unknown_count += 1
                # Similar names are searched only for faults that are shown: the search takes long.
                is_shown = unknown_count <= MAX_LISTED_FAULTS
                candidates = tests_by_suite[test.suite] if is_shown else ()
                remedy = did_you_mean(test.name, candidates)[:200]
                yield index, f'"{test.suite}" has no test "{test.name}"', remedy
        elif suite_owner(test.suite) is None and (device := _device_in_name(test, unit_suites)):
            what = f'the name "{test.name}" contains a device ("{device}")'
            yield index, what, "remove the device from test names"


def _device_in_name(test: TestEntry, unit_suites: Container[str]) -> str | None:
    found = (_CARDS if test.suite in unit_suites else _DEVICES).search(test.name)
    return found[0] if found else None
