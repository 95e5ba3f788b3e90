"""Merges the shards of a run into one report, and imported results of several files into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from accelerator_portal.catalog.problem import Problem, ProblemsError
from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.reading import MAX_TESTS, ImportResult
from accelerator_portal.reports.report import (
    OperatorCoverage,
    Report,
    Suite,
    TestEntry,
    different_facts,
    environment_facts,
)
from accelerator_portal.reports.run_facts import merged_environment
from accelerator_portal.reports.shard import Shard, positions_of
from accelerator_portal.reports.texts import shortened_text


def merged_shards(files: Sequence[ShardFile]) -> Report:
    """Return the report of the whole run. Raises ProblemsError if the shards don't fit together."""
    if problems := list(shard_problems(files)):
        raise ProblemsError(problems)
    reports = [file.report for file in files]
    tests = _tests_in_plan_order(files)
    notes = dict.fromkeys(report.note for report in reports if report.note)
    changes = {
        "started": min((r.started for r in reports if r.started), default=None),
        "finished": max((r.finished for r in reports if r.finished), default=None),
        "note": shortened_text(" ".join(notes)),
        "origins": tuple(dict.fromkeys(origin for r in reports for origin in r.origins)),
        "shard": None,
        "suites": _merged_suites(reports, tests),
        "tests": tests,
    }
    return reports[0].model_copy(update=changes)


def _tests_in_plan_order(files: Sequence[ShardFile]) -> tuple[TestEntry, ...]:
    """Return the tests of all shards, sorted by their positions in the plan of the run.

    Raises ProblemsError if two shards contain the same position.
    """
    tests_by_position: dict[int, TestEntry] = {}
    for path, report in files:
        if not (shard := report.shard):
            continue
        places = positions_of(shard.positions, shard.planned)
        for place, test in zip(places, report.tests, strict=True):
            if place in tests_by_position:
                what = f"test {place} of the plan is also in another shard"
                remedy = "use the unmodified files from validate"
                raise ProblemsError([Problem(path, 1, what, remedy)])
            tests_by_position[place] = test
    return tuple(tests_by_position[place] for place in sorted(tests_by_position))


def _merged_suites(reports: Iterable[Report], tests: Iterable[TestEntry]) -> tuple[Suite, ...]:
    """Return each suite of the shards once, with the sum of its planned tests.

    The sum is None if a shard does not state its number. The suites are in the order of their first
    tests; suites without tests come last.
    """
    parts: dict[str, list[Suite]] = {test.suite: [] for test in tests}
    for report in reports:
        for suite in report.suites:
            parts.setdefault(suite.name, []).append(suite)
    return tuple(_merged_suite(of_one) for of_one in parts.values() if of_one)


def _merged_suite(parts: Sequence[Suite]) -> Suite:
    planned = [part.planned for part in parts if part.planned is not None]
    operators = [part.operators for part in parts if part.operators]
    changes = {
        "planned": sum(planned) if len(planned) == len(parts) else None,
        "operators": _merged_operators(operators) if operators else None,
    }
    return parts[0].model_copy(update=changes)


def _merged_operators(parts: Sequence[OperatorCoverage]) -> OperatorCoverage:
    """Return the operator coverage of all shards together.

    The number of operators in the PyTorch build is the same in all shards.
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
    start of all files, and the end is the latest end. Different notes are joined, and numbers of
    entries are added.
    """
    suites: dict[str, Suite] = {}
    for found in results:
        for suite in found.suites:
            known = suites.get(suite.name)
            suites[suite.name] = _with_summed_plan(known, suite) if known else suite
    notes = dict.fromkeys(found.note for found in results if found.note)
    return ImportResult(
        suites=tuple(suites.values()),
        tests=tuple(test for found in results for test in found.tests),
        environment=merged_environment(*(found.environment for found in results)),
        started=min((found.started for found in results if found.started), default=None),
        finished=max((found.finished for found in results if found.finished), default=None),
        note=shortened_text(" ".join(notes)),
        entries=sum((Counter(found.entries) for found in results), Counter()),
    )


def _with_summed_plan(one: Suite, other: Suite) -> Suite:
    """Return `one` with the planned tests of both suites; `planned` is None if one is unknown."""
    if one.planned is None or other.planned is None:
        return one.model_copy(update={"planned": None})
    return one.model_copy(update={"planned": one.planned + other.planned})


_SAME_PLAN = "run all shards with the same versions, options, known issues and settings"
_SAME_TIMES = "run all shards with the same reports of earlier runs"
_SAME_MACHINES = "run all shards in the same environment, on the same kind of machine"
_SAME_CHANGE = "run all shards for the same commit"


class ShardFile(NamedTuple):
    """A report, which should be a shard, with its path."""

    path: str
    report: Report


class _ShardReport(NamedTuple):
    """A report that is a shard, with its path."""

    path: str
    report: Report
    shard: Shard


def shard_problems(files: Sequence[ShardFile], *, all_read: bool = True) -> Iterator[Problem]:
    """Yield the problems that prevent the merge of reports into one.

    Each report must be an unedited, finished shard of the same run as the first shard, and each
    shard must occur once. If `all_read` is false, missing shards are not reported, because they
    may be in files that could not be read.
    """
    parts = [_ShardReport(*file, file.report.shard) for file in files if file.report.shard]
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


def _difference_problems(parts: Sequence[_ShardReport]) -> Iterator[Problem]:
    """Yield the differences between each shard and the first shard as problems.

    The number of shards, the plan and the recorded times are compared in this order, and only the
    first difference is reported. Facts of the run (such as accelerator and trigger) and of the
    environment are also compared, and every difference is reported.
    """
    first = parts[0]
    for part in parts[1:]:
        for what, remedy in _differences(part, first):
            yield Problem(part.path, 1, what, remedy)


def _differences(part: _ShardReport, first: _ShardReport) -> Iterator[tuple[str, str]]:
    shard, other = part.shard, first.shard
    if shard.count != other.count:
        what = f"this is shard {shard.name}, and {first.path} is shard {other.name}"
        yield what, "use shards of one run"
    elif shard.plan != other.plan:
        yield f"shard {shard.name} has a different plan than {first.path}", _SAME_PLAN
    elif shard.times != other.times:
        what = f"shard {shard.name} is balanced with different recorded times than {first.path}"
        yield what, _SAME_TIMES
    for facts, remedy in ((_run_facts, _SAME_CHANGE), (_machine_facts, _SAME_MACHINES)):
        for name, one, another in different_facts(facts(part.report), facts(first.report)):
            what = f"{name} is {one or 'not known'}, and {another or 'not known'} in"
            yield f"{what} {first.path}", remedy


def _run_facts(report: Report) -> Mapping[str, object]:
    trigger = {name: value for name, value in report.trigger if value is not None}
    pull_request = {"pull request": trigger.pop("pull_request", None)}
    occasion = {"trigger": trigger.pop("kind")}
    run = {"accelerator": report.accelerator, "kind": report.kind}
    return {**run, **occasion, **trigger, **pull_request}


def _machine_facts(report: Report) -> Mapping[str, object]:
    return environment_facts(report.environment)


def _duplicate_problems(parts: Iterable[_ShardReport]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for part in parts:
        if before := seen.get(part.shard.name):
            what = f"shard {part.shard.name} is given twice, first as {before}"
            yield Problem(part.path, 1, what, "remove one of the two")
        else:
            seen[part.shard.name] = part.path


def _missing_shard_problems(parts: Sequence[_ShardReport]) -> Iterator[Problem]:
    first = parts[0]
    given = {part.shard.name for part in parts}
    for index in range(1, first.shard.count + 1):
        if (name := f"{index}/{first.shard.count}") not in given:
            what = f"shard {name} of this run is missing"
            yield Problem(first.path, 1, what, f"add its report, or run it with --shard {name}")


def _unfinished_shard_problems(part: _ShardReport) -> Iterator[Problem]:
    shard = part.shard
    if shard.unfinished or part.report.finished is None:
        what = f"shard {shard.name} is not finished (tests without a result: {shard.unfinished})"
        yield Problem(part.path, 1, what, f"finish it: {shard.resume}")


def _edited_shard_problems(part: _ShardReport) -> Iterator[Problem]:
    """Yield a problem if the tests of a shard don't match its list of positions in the plan.

    This means that the file was edited. A plan that is too large is also a problem.
    """
    shard, tests = part.shard, len(part.report.tests)
    if shard.planned > MAX_TESTS:
        what = f"the plan has {shard.planned:,} tests, more than {MAX_TESTS:,}"
        yield Problem(part.path, 1, what, "split the run by suite")
        return
    positions = list(positions_of(shard.positions, shard.planned))
    if len(positions) != tests or sorted(set(positions)) != positions:
        listed = "its positions list a different number"
        what = f"shard {shard.name} has {count(tests, 'test')}, but {listed}"
        yield Problem(part.path, 1, what, "use the unmodified file from validate")
