"""Installs the commands for this machine, within limits of time and disk.

Those without a trial come first, then those whose trial is oldest, the newest release of each
platform before earlier ones. Each success is written at once, so that an interruption loses none.
"""

from __future__ import annotations

import datetime as dt
import platform as machine
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.catalog.progress import Progress, no_progress
from accelerator_portal.install.rows import CheckLine, InstallRow
from accelerator_portal.packages.install_check import InstallResult, is_of_this_machine
from accelerator_portal.packages.questions import ResolutionQuestion, questions
from accelerator_portal.packages.verdict_file import (
    RowKey,
    Trial,
    Verdict,
    Verdicts,
    key_of,
    write_verdicts,
)

FREE_BYTES = 15 * 10**9
"""A CUDA build with all that it requires takes 5.3 GB, and its downloads 3 GB beside it."""

TrialInstall = Callable[[InstallRow, float], InstallResult]
"""Installs a row within some seconds. Raises OSError."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    row: InstallRow
    places: tuple[tuple[str, RowKey, str], ...]
    """Every platform, row and Python that this installation speaks of."""


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """How to install: within `seconds` in all; `told` is called with what came of each command."""

    install: TrialInstall
    day: dt.date
    seconds: float
    progress: Progress = no_progress
    told: Callable[[str], None] = lambda _: None
    free_bytes: int = FREE_BYTES


def run_trials(
    root: Path,
    rows: Mapping[str, Sequence[InstallRow]],
    known: Mapping[str, Verdicts],
    how: TrialOptions,
) -> int:
    """Install what was found and is for this machine; return how many commands went well.

    `rows` and `known` are by platform. Raises OSError where a result cannot be written.
    """
    until = time.monotonic() + how.seconds
    results = {name: {key: dict(v) for key, v in found.items()} for name, found in known.items()}
    candidates = _candidates(rows, results)
    good = 0
    with how.progress("installing", len(candidates)) as advance:
        for number, candidate in enumerate(candidates):
            left = until - time.monotonic()
            if left <= 0 or shutil.disk_usage(tempfile.gettempdir()).free < how.free_bytes:
                full = f"less than {how.free_bytes / 10**9:.0f} GB of disk are free"
                why = "the time is over" if left <= 0 else full
                how.told(f"Not installed: {len(candidates) - number} commands, because {why}.")
                break
            done = how.install(candidate.row, left)
            name = f"{candidate.row.platform} {candidate.row.option} {candidate.row.build}"
            if not done.imported:
                how.told(f"{name}: {done.output}")
            else:
                good += 1
                trial = Trial(
                    on=how.day,
                    python=machine.python_version(),
                    imported=done.imported,
                    checked=done.checked,
                )
                _keep(root, candidate, results, trial)
                how.told(f"{name}: imported {', '.join(done.imported)}")
            advance()
    return good


def _keep(
    root: Path,
    candidate: _Candidate,
    results: Mapping[str, dict[RowKey, dict[str, Verdict]]],
    trial: Trial,
) -> None:
    for platform, key, python in candidate.places:
        verdict = results[platform][key][python]
        results[platform][key][python] = verdict.model_copy(update={"trial": trial})
    for platform in {platform for platform, _, _ in candidate.places}:
        write_verdicts(root, platform, results[platform])


def _candidates(
    rows: Mapping[str, Sequence[InstallRow]], known: Mapping[str, Verdicts]
) -> list[_Candidate]:
    """Commands that install the same and have the same check are one."""
    found: dict[tuple[ResolutionQuestion, CheckLine | None], list[_Place]] = {}
    for platform, own in rows.items():
        for number, (row, python, question) in enumerate(_of_this_machine(own)):
            verdict = known.get(platform, {}).get(key_of(row), {}).get(python)
            if verdict and verdict.kind == "found":
                last = verdict.trial.on if verdict.trial else dt.date.min
                place = _Place(last, number, row, python)
                found.setdefault((question, row.check), []).append(place)
    groups = sorted(found.values(), key=lambda places: min((p.last, p.number) for p in places))
    return [
        _Candidate(places[0].row, tuple((p.row.platform, key_of(p.row), p.python) for p in places))
        for places in groups
    ]


@dataclass(frozen=True, slots=True)
class _Place:
    last: dt.date
    number: int
    row: InstallRow
    python: str


def _of_this_machine(
    rows: Sequence[InstallRow],
) -> Iterator[tuple[InstallRow, str, ResolutionQuestion]]:
    for row in rows:
        for python, question in questions(row).items():
            if is_of_this_machine(row, python):
                yield row, python, question
