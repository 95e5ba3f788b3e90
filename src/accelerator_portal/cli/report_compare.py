"""`accelerator-portal report compare`: what differs between two reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog.problem import printable
from accelerator_portal.catalog.wording import count
from accelerator_portal.cli.options import INPUT_FILE, JSON, print_json
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import read_report
from accelerator_portal.results.breakages import differences
from accelerator_portal.results.report_comparison import (
    DIFFERENCE_WORDS,
    PAIR_NOTES,
    OutcomeDifference,
    ReportComparison,
    ReportPair,
    compare_reports,
    report_pair,
)

_NOT_STATED = "not stated"


@click.command("compare")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="List at most this many tests for each kind of difference.",
)
@click.argument("first", type=INPUT_FILE)
@click.argument("second", type=INPUT_FILE)
@JSON
def compare(first: Path, second: Path, limit: int, as_json: bool) -> None:
    """Compare two reports and list new failures, fixes and other differences."""
    one, other = read_report(first), read_report(second)
    if as_json:
        print_json(_record(one, other))
        return
    click.echo(f"first:  {_title(first, one)}")
    click.echo(f"second: {_title(second, other)}")
    for line in _lines(one, other, limit):
        click.echo(printable(line))


def _lines(first: Report, second: Report, limit: int) -> Iterator[str]:
    pair = report_pair(first, second)
    found = compare_reports(first, second)
    if PAIR_NOTES[pair]:
        yield PAIR_NOTES[pair]
    if first.accelerator != second.accelerator:
        yield "The reports are of different platforms."
    yield from _environment(first, second)
    for which, only in (("first", found.only_first), ("second", found.only_second)):
        if only:
            named = (f"{name}: {count(number, 'test')}" for name, number in only.items())
            yield f"Only the {which} report has: {'; '.join(named)}."
    if not found.unchanged:
        yield "The reports have no suite with the same settings."
    yield from _suites(found, pair)
    for kind, words in DIFFERENCE_WORDS.items():
        tests = found.of_kind(kind)
        if tests:
            yield f"{words[pair]} ({len(tests):,}):"
            yield from (f"  {_test(test)}" for test in tests[:limit])
            if len(tests) > limit:
                yield f"  and {len(tests) - limit:,} more; --limit {len(tests)} lists all"


def _title(file: Path, report: Report) -> str:
    day = f"{report.started:%Y-%m-%d}" if report.started else "no date"
    return printable(f"{file} ({report.accelerator}, {report.kind}, {day})")


def _environment(first: Report, second: Report) -> Iterator[str]:
    found = differences(first.environment, second.environment)
    yield "Environment:" if found else "Environment: no difference stated"
    for one in found:
        yield f"  {one.what}: {one.before or _NOT_STATED} → {one.after or _NOT_STATED}"


def _suites(found: ReportComparison, pair: ReportPair) -> Iterator[str]:
    for suite, unchanged in found.unchanged.items():
        counts = [
            f"{words[pair].lower()}: {found.counts[suite, kind]:,}"
            for kind, words in DIFFERENCE_WORDS.items()
            if (suite, kind) in found.counts
        ]
        yield f"{suite}: {', '.join([*counts, f'unchanged: {unchanged:,}'])}"


def _test(found: OutcomeDifference) -> str:
    if found.first and found.second:
        return f"{found.test.key}: {found.first} → {found.second}"
    return f"{found.test.key}: {found.first or found.second}"


def _record(first: Report, second: Report) -> dict[str, Any]:
    """All that differs, without a limit."""
    found = compare_reports(first, second)
    heads = [
        {"accelerator": r.accelerator, "kind": r.kind, "started": r.started}
        for r in (first, second)
    ]
    return {
        "first": heads[0],
        "second": heads[1],
        "environment": [asdict(one) for one in differences(first.environment, second.environment)],
        "only_first": found.only_first,
        "only_second": found.only_second,
        "unchanged": found.unchanged,
        "differences": [
            {"kind": one.kind, "test": one.test.key, "first": one.first, "second": one.second}
            for one in found.differences
        ],
    }
