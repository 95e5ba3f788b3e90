"""The reports in the vendors' folders, read once for a catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from accelerator_portal.catalog import Catalog, Problem, ProblemsError
from accelerator_portal.catalog.catalog import RESULTS
from accelerator_portal.reports.reading import MAX_TESTS
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import line_of_tests, read_report


@dataclass(frozen=True, eq=False)
class StoredReport:
    """A report of a folder; `id` is unique and stable, `path` relative to the repository."""

    id: str
    path: str
    report: Report
    first_test: int | None


Stored = tuple[tuple[StoredReport, ...], tuple[Problem, ...]]

_stored: WeakKeyDictionary[Catalog, Stored] = WeakKeyDictionary()


def stored_reports(catalog: Catalog) -> Stored:
    """Return every report that can be read, by platform and name, and what is wrong with others."""
    if catalog not in _stored:
        _stored[catalog] = _read(catalog)
    return _stored[catalog]


def _read(catalog: Catalog) -> Stored:
    found: list[StoredReport] = []
    problems: list[Problem] = []
    for platform in catalog.platforms:
        tests = 0
        for file in platform.results:
            path = platform.path(f"{RESULTS}/{file.name}")
            try:
                made = read_report(file)
            except ProblemsError as error:
                problems += (Problem(path, p.line, p.what, p.remedy) for p in error.problems)
                continue
            if made.accelerator != platform.id:
                what = f'the report is about "{made.accelerator}"'
                problems.append(Problem(path, 1, what, "put it into that folder"))
                continue
            tests += len(made.tests)
            if tests > MAX_TESTS:  # one folder must not keep all others waiting
                what = f"the reports up to this one have more than {MAX_TESTS:,} tests"
                problems.append(Problem(path, 1, what, "remove older reports, or leave tests out"))
                break
            name = _report_id(platform.id, file.stem)
            found.append(StoredReport(name, path, made, line_of_tests(file)))
    return tuple(found), tuple(problems)


def _report_id(platform: str, stem: str) -> str:
    """No two of a kind: else `a` with `b-c.json` would take the page of `a-b` with `c.json`.

    Neither part holds two hyphens in a row.
    """
    return f"{platform}{'--' if '-' in platform else '-'}{stem}"
