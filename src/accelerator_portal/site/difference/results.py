"""Reports that came and went, and the tests of which something else is said now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.reports.identity import Identity, parameters_of
from accelerator_portal.reports.outcomes import BAD, GOOD, OUTCOMES, Outcome
from accelerator_portal.reports.reading import load_json
from accelerator_portal.reports.report import Scalar
from accelerator_portal.results.standing import Basis
from accelerator_portal.site.difference.shapes import Item, ItemChange, Move, change_of
from accelerator_portal.site.difference.state import PlatformState
from accelerator_portal.site.difference.state_shapes import ReportState
from accelerator_portal.site.difference.values import shortened

LatestOutcomes = Mapping[tuple[Basis, Identity], Outcome]


class _Test(BaseModel):
    model_config = ConfigDict(extra="ignore")

    suite: str
    name: str
    parameters: dict[str, Scalar] = {}
    outcome: Outcome


class _Report(BaseModel):
    model_config = ConfigDict(extra="ignore")

    started: AwareDatetime | None = None
    tests: tuple[_Test, ...]


def report_changes(before: PlatformState, after: PlatformState) -> Iterator[Item]:
    """Yield the reports that are new, gone or replaced by another of the same name."""
    for id_ in dict.fromkeys((*after.reports, *before.reports)):
        old, new = before.reports.get(id_), after.reports.get(id_)
        if old and new and old[2] == new[2]:
            continue
        yield Item(
            change=change_of(old, new),
            name=id_,
            before=_said(old[0]) if old else None,
            after=_said(new[0]) if new else None,
        )


def result_changes(
    before: PlatformState, after: PlatformState
) -> tuple[tuple[Move, ...], tuple[Item, ...]]:
    """Return the tests that moved, failures first, and how many tests are new and gone."""
    if not any(report_changes(before, after)):
        return (), ()
    old, new = latest_outcomes(before), latest_outcomes(after)
    found: dict[tuple[Basis, str, str, Outcome, Outcome], int] = {}
    for (basis, test), outcome in new.items():
        earlier = old.get((basis, test), outcome)
        if earlier != outcome:
            way = (basis, test.suite, test.name, earlier, outcome)
            found[way] = found.get(way, 0) + 1
    moves = [
        Move(basis=b, suite=s, name=n, before=o, after=w, settings=count)
        for (b, s, n, o, w), count in found.items()
    ]
    moves.sort(key=lambda move: (_badness(move), move.basis, move.suite, move.name))
    return tuple(moves), tuple(_numbers(old, new))


def latest_outcomes(platform: PlatformState) -> LatestOutcomes:
    """Return what the newest report that has a test says of it. Raises ProblemsError."""
    read = [(_read(file), entry) for entry, file, _ in platform.reports.values()]
    read.sort(key=lambda item: item[0].started.isoformat() if item[0].started else "")
    found: dict[tuple[Basis, Identity], Outcome] = {}
    for report, entry in read:
        basis: Basis = "baselines" if entry.kind == "baseline" else "runs"
        for test in report.tests:
            identity = Identity(test.suite, test.name, parameters_of(test.parameters))
            found[basis, identity] = test.outcome
    return found


def _said(entry: ReportState) -> str:
    """A report in a line: `self-reported, torchbench: 75 passed, 15 failed`."""
    suites = (f"{suite}: {_tally(counts)}" for suite, counts in entry.counts.items())
    return shortened(", ".join((entry.kind, *suites)))


def _tally(counts: Mapping[Outcome, int]) -> str:
    return ", ".join(f"{counts[o]:,} {o.replace('-', ' ')}" for o in OUTCOMES if counts.get(o))


def _badness(move: Move) -> int:
    """0 for what fails now and passed before, then what else fails, what passes, the rest."""
    if move.after in BAD:
        return 0 if move.before in GOOD else 1
    return 2 if move.after in GOOD else 3


def _numbers(old: LatestOutcomes, new: LatestOutcomes) -> Iterator[Item]:
    ways: tuple[tuple[ItemChange, LatestOutcomes, LatestOutcomes], ...] = (
        ("added", new, old),
        ("gone", old, new),
    )
    for change, here, there in ways:
        tests: dict[str, int] = {}
        for basis, test in here.keys() - there.keys():
            tests[f"{test.suite}, {basis}"] = tests.get(f"{test.suite}, {basis}", 0) + 1
        for name, count in sorted(tests.items()):
            said: Any = {"after" if change == "added" else "before": f"{count:,}"}
            yield Item(change=change, name=f"tests of {name}", **said)


def _read(file: Path) -> _Report:
    try:
        return _Report.model_validate(load_json(file))
    except ValidationError:
        problem = Problem(str(file), 1, "this is not a test report", "build the site again")
        raise ProblemsError([problem]) from None
