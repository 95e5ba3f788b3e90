"""Joining the shards of a run into the report that one machine would have written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accelerator_portal.catalog.problem import Problem, ProblemsError
from accelerator_portal.reports.report import OperatorCoverage, Report, Suite, TestEntry
from accelerator_portal.reports.shard import positions_of
from accelerator_portal.reports.shard_check import ShardFile, shard_problems
from accelerator_portal.reports.texts import shortened


def merged_shards(files: Sequence[ShardFile]) -> Report:
    """Return the report of the whole run; raises ProblemsError with all that stands against it."""
    if problems := list(shard_problems(files)):
        raise ProblemsError(problems)
    reports = [file.report for file in files]
    tests = _in_order(files)
    notes = dict.fromkeys(report.note for report in reports if report.note)
    changes = {
        "started": min((r.started for r in reports if r.started), default=None),
        "finished": max((r.finished for r in reports if r.finished), default=None),
        "note": shortened(" ".join(notes)),
        "origins": tuple(dict.fromkeys(origin for r in reports for origin in r.origins)),
        "shard": None,
        "suites": _suites(reports, tests),
        "tests": tests,
    }
    return reports[0].model_copy(update=changes)


def _in_order(files: Sequence[ShardFile]) -> tuple[TestEntry, ...]:
    """Return all tests in the order of the plan."""
    placed: dict[int, TestEntry] = {}
    for path, report in files:
        if not (shard := report.shard):
            continue
        places = positions_of(shard.positions, shard.planned)
        for place, test in zip(places, report.tests, strict=True):
            if place in placed:
                what = f"test {place} of the plan is also in another shard"
                remedy = "use the unmodified files from validate"
                raise ProblemsError([Problem(path, 1, what, remedy)])
            placed[place] = test
    return tuple(placed[place] for place in sorted(placed))


def _suites(reports: Iterable[Report], tests: Iterable[TestEntry]) -> tuple[Suite, ...]:
    """Return each suite once, in the order of their tests."""
    parts: dict[str, list[Suite]] = {test.suite: [] for test in tests}
    for report in reports:
        for suite in report.suites:
            parts.setdefault(suite.name, []).append(suite)
    return tuple(_suite(of_one) for of_one in parts.values() if of_one)


def _suite(parts: Sequence[Suite]) -> Suite:
    planned = [part.planned for part in parts if part.planned is not None]
    operators = [part.operators for part in parts if part.operators]
    changes = {
        "planned": sum(planned) if len(planned) == len(parts) else None,
        "operators": _operators(operators) if operators else None,
    }
    return parts[0].model_copy(update=changes)


def _operators(parts: Sequence[OperatorCoverage]) -> OperatorCoverage:
    """Join what shards covered; all say the same of how many operators there are."""
    covered = {name for part in parts for name in part.covered}
    on_cpu = {name for part in parts for name in part.computed_on_cpu}
    missing = tuple(name for name in parts[0].core_missing if name not in covered)
    changes = {
        "covered": tuple(sorted(covered)),
        "computed_on_cpu": tuple(sorted(on_cpu)),
        "core_missing": missing,
    }
    return parts[0].model_copy(update=changes)
