"""Merges the shards of a run into one report, and imported results of several files into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from accelerator_reports.file_reading import MAX_TESTS, READ_AS_TEST, ImportResult
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.wording import count
from accelerator_reports.report import (
    OperatorCoverage,
    Report,
    Shard,
    Suite,
    TestEntry,
    different_facts,
    environment_facts,
    positions_of,
)
from accelerator_reports.run_environment import merged_environment
from accelerator_reports.shortened_text import shortened_text

_PLAN_REMEDY = "run all shards with the same versions, options, known issues and settings"
_TIMES_REMEDY = "run all shards with the same reports of earlier runs"
_MACHINES_REMEDY = "run all shards in the same environment, on the same kind of machine"
_CHANGE_REMEDY = "run all shards for the same commit"


class ShardFile(NamedTuple):
    """The path of a report file that should contain a shard, and its report."""

    path: str
    report: Report


class _ShardReport(NamedTuple):
    """The path of a file that contains a shard, its report, and the report's field `shard`."""

    path: str
    report: Report
    shard: Shard


def merged_shards(files: Sequence[ShardFile]) -> Report:
    """Return the report of the whole run. Raises ProblemsError if the shards don't fit together."""
    if problems := list(shard_problems(files)):
        raise ProblemsError(problems)
    reports = [file.report for file in files]
    tests = _tests_in_plan_order(_shard_reports(files))
    notes = dict.fromkeys(report.note for report in reports if report.note)
    changes = {
        "started": min((r.started for r in reports if r.started), default=None),
        "finished": max((r.finished for r in reports if r.finished), default=None),
        "note": shortened_text(" ".join(notes)),
        "origins": tuple(dict.fromkeys(origin for r in reports for origin in r.origins)),
        "shard": None,
        "suites": merged_suites(
            (suite for report in reports for suite in report.suites),
            order=dict.fromkeys(test.suite for test in tests),
        ),
        "tests": tests,
    }
    return reports[0].model_copy(update=changes)


def _tests_in_plan_order(parts: Iterable[_ShardReport]) -> tuple[TestEntry, ...]:
    """Return the tests of all shards, sorted by their positions in the run's plan.

    The plan is the list of all tests of the run. Raises ProblemsError if two shards contain the
    same position.
    """
    tests_by_position: dict[int, TestEntry] = {}
    for path, report, shard in parts:
        positions = positions_of(shard.positions, shard.planned)
        for position, test in zip(positions, report.tests, strict=True):
            if position in tests_by_position:
                what = f"test {position} of the plan is also in another shard"
                remedy = "use the unmodified files from validate"
                raise ProblemsError([Problem(path, 1, what, remedy)])
            tests_by_position[position] = test
    return tuple(tests_by_position[position] for position in sorted(tests_by_position))


def merged_suites(suites: Iterable[Suite], *, order: Iterable[str] = ()) -> tuple[Suite, ...]:
    """Return the suites, with all suites of the same name merged into one.

    A merged suite has the sum of the planned tests; None if a part does not state them. It has the
    operators that any of its parts covered, without parts of another PyTorch build than the first.
    Suites whose names are in `order` come first, in this order.
    """
    parts: dict[str, list[Suite]] = {name: [] for name in order}
    for suite in suites:
        parts.setdefault(suite.name, []).append(suite)
    return tuple(_merged_suite(suite_parts) for suite_parts in parts.values() if suite_parts)


def _merged_suite(parts: Sequence[Suite]) -> Suite:
    planned = [part.planned for part in parts if part.planned is not None]
    operators = [part.operators for part in parts if part.operators]
    of_one_build = [o for o in operators if o.registered == operators[0].registered]
    changes = {
        "planned": sum(planned) if len(planned) == len(parts) else None,
        "operators": _merged_operators(of_one_build) if operators else None,
    }
    return parts[0].model_copy(update=changes)


def _merged_operators(parts: Sequence[OperatorCoverage]) -> OperatorCoverage:
    """Return the operator coverage of several parts of a suite together.

    The parts must be of the same PyTorch build, so that they have the same number of operators.
    """
    covered = {name for part in parts for name in part.covered}
    on_cpu = {name for part in parts for name in part.computed_on_cpu}
    missing = tuple(name for name in parts[0].core_missing if name not in covered)
    changes = {
        "covered": tuple(sorted(covered)),
        "computed_on_cpu": tuple(sorted(on_cpu)),
        "core_missing": missing,
    }
    return parts[0].model_copy(update=changes)


def merged_results(results: Sequence[ImportResult]) -> ImportResult:
    """Return the results of several files as one result, with all suites and tests.

    Each fact of the environment has the first value that a file states. The start is the earliest
    start of all files, and the end is the latest end. Different notes are joined. A suite in
    several files has the planned tests and covered operators of all of them. The numbers of read
    and left-out entries (`ImportResult.entries`) are the sums over all files. If only some files
    state these numbers, the tests of the other files count as read.
    """
    notes = dict.fromkeys(result.note for result in results if result.note)
    some_are_counted = any(result.entries for result in results)
    return ImportResult(
        suites=merged_suites(suite for result in results for suite in result.suites),
        tests=tuple(test for result in results for test in result.tests),
        environment=merged_environment(*(result.environment for result in results)),
        started=min((result.started for result in results if result.started), default=None),
        finished=max((result.finished for result in results if result.finished), default=None),
        note=shortened_text(" ".join(notes)),
        entries=sum(
            (Counter(result.entries or {READ_AS_TEST: len(result.tests)}) for result in results),
            Counter(),
        )
        if some_are_counted
        else {},
        warnings=tuple(warning for result in results for warning in result.warnings),
    )


def shard_problems(files: Sequence[ShardFile], *, all_read: bool = True) -> Iterator[Problem]:
    """Yield the problems that prevent the merge of reports into one.

    All reports must be finished and unedited shards of one run, and each shard must occur once. If
    `all_read` is false, missing shards are not reported, because they may be in files that could
    not be read.
    """
    parts = _shard_reports(files)
    for file in files:
        if file.report.shard is None:
            what = "the report is not a shard; it was created without --shard K/N"
            yield Problem(file.path, 1, what, "remove it")
    if parts:
        yield from _difference_problems(parts)
        yield from _duplicate_problems(parts)
        if all_read:
            yield from _missing_shard_problems(parts)
        for part in parts:
            yield from _unfinished_shard_problems(part)
            yield from _edited_shard_problems(part)


def _shard_reports(files: Iterable[ShardFile]) -> list[_ShardReport]:
    return [_ShardReport(*file, file.report.shard) for file in files if file.report.shard]


def _difference_problems(parts: Sequence[_ShardReport]) -> Iterator[Problem]:
    """Yield the differences between each shard and the first shard as problems.

    Every difference in the environment and in facts of the run, such as the accelerator, is
    reported. The number of shards, the plan (the list of tests) and the recorded times are compared
    in this order, and only the first difference among them is reported for each shard.
    """
    first_part = parts[0]
    for part in parts[1:]:
        for what, remedy in _differences(part, first_part):
            yield Problem(part.path, 1, what, remedy)


def _differences(part: _ShardReport, first_part: _ShardReport) -> Iterator[tuple[str, str]]:
    shard, first_shard = part.shard, first_part.shard
    if shard.count != first_shard.count:
        what = f"this is shard {shard.name}, and {first_part.path} is shard {first_shard.name}"
        yield what, "use shards of one run"
    elif shard.plan != first_shard.plan:
        yield f"shard {shard.name} has a different plan than {first_part.path}", _PLAN_REMEDY
    elif shard.times != first_shard.times:
        what = (
            f"shard {shard.name} is balanced with different recorded times than {first_part.path}"
        )
        yield what, _TIMES_REMEDY
    report, first_report = part.report, first_part.report
    facts_and_remedies = (
        (_run_facts(report), _run_facts(first_report), _CHANGE_REMEDY),
        (
            environment_facts(report.environment),
            environment_facts(first_report.environment),
            _MACHINES_REMEDY,
        ),
    )
    for facts, first_facts, remedy in facts_and_remedies:
        for name, value, first_value in different_facts(facts, first_facts):
            what = f"{name} is {value or 'not known'}, and {first_value or 'not known'} in"
            yield f"{what} {first_part.path}", remedy


def _run_facts(report: Report) -> Mapping[str, object]:
    trigger = {name: value for name, value in report.trigger if value is not None}
    pull_request = {"pull request": trigger.pop("pull_request", None)}
    occasion = {"trigger": trigger.pop("kind")}
    run = {"accelerator": report.accelerator, "kind": report.kind}
    return {**run, **occasion, **trigger, **pull_request}


def _duplicate_problems(parts: Iterable[_ShardReport]) -> Iterator[Problem]:
    path_by_shard: dict[str, str] = {}
    for part in parts:
        if first_path := path_by_shard.get(part.shard.name):
            what = f"shard {part.shard.name} is given twice, first as {first_path}"
            yield Problem(part.path, 1, what, "remove one of the two")
        else:
            path_by_shard[part.shard.name] = part.path


def _missing_shard_problems(parts: Sequence[_ShardReport]) -> Iterator[Problem]:
    first_part = parts[0]
    shard_names = {part.shard.name for part in parts}
    for index in range(1, first_part.shard.count + 1):
        if (name := f"{index}/{first_part.shard.count}") not in shard_names:
            what = f"shard {name} of this run is missing"
            yield Problem(
                first_part.path, 1, what, f"add its report, or run it with --shard {name}"
            )


def _unfinished_shard_problems(part: _ShardReport) -> Iterator[Problem]:
    shard = part.shard
    if shard.unfinished or part.report.finished is None:
        what = f"shard {shard.name} is not finished (tests without a result: {shard.unfinished})"
        yield Problem(part.path, 1, what, f"finish it: {shard.resume}")


def _edited_shard_problems(part: _ShardReport) -> Iterator[Problem]:
    """Yield a problem if the tests of a shard don't match its list of positions in the plan.

    The tests and the positions only differ if the file was edited. A plan (the list of the run's
    tests) with more than `MAX_TESTS` tests is also a problem.
    """
    shard, actual_count = part.shard, len(part.report.tests)
    if shard.planned > MAX_TESTS:
        what = f"the plan has {shard.planned:,} tests, more than {MAX_TESTS:,}"
        yield Problem(part.path, 1, what, "split the run by suite")
        return
    positions = list(islice(positions_of(shard.positions, shard.planned), actual_count + 1))
    if len(positions) != actual_count or sorted(set(positions)) != positions:
        listed = "its positions list a different number"
        what = f"shard {shard.name} has {count(actual_count, 'test')}, but {listed}"
        yield Problem(part.path, 1, what, "use the unmodified file from validate")
