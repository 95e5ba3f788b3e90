"""Verifies install commands with uv and by trial installs; stores verdicts in `data/verdicts`.

Each pip and uv command is resolved. Commands for this machine can also be installed. Verdicts of
trial installs can come from another job, whose files are not trusted.
"""

from __future__ import annotations

import datetime as dt
import platform as machine
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem, ProblemsError
from accelerator_portal.catalog.fields import version_or_none
from accelerator_portal.catalog.progress import Progress, no_progress
from accelerator_portal.catalog.wording import count
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import CheckLine, InstallRow
from accelerator_portal.packages.install_check import (
    InstallResult,
    install_row,
    is_for_this_machine,
)
from accelerator_portal.packages.questions import (
    ResolutionQuestion,
    distinct_questions,
    questions_of_row,
)
from accelerator_portal.packages.reachable_hosts import installed_uv, resolver_of_reachable_hosts
from accelerator_portal.packages.uv_resolution import ResolutionResult
from accelerator_portal.packages.verdict_file import (
    RowKey,
    Trial,
    Verdict,
    Verdicts,
    read_verdict_file,
    read_verdicts,
    verdict_of,
    verdict_row_key,
    write_verdicts,
)

ResolveQuestion = Callable[[ResolutionQuestion], ResolutionResult]


def verdicts_of_rows(
    platform: Platform,
    rows: Iterable[InstallRow],
    answers: Mapping[ResolutionQuestion, ResolutionResult],
    before: Verdicts,
    day: dt.date,
) -> Verdicts:
    """Return the verdicts of a platform's install rows from the results of their questions.

    `before` has the earlier verdicts. If a question could not be checked, the earlier verdict is
    kept with its date, unless it is `unchecked`, too. Rows of other methods than pip and uv, and
    rows without a Python version, are omitted.
    """
    questions_by_row = {
        verdict_row_key(row): questions for row in rows if (questions := questions_of_row(row))
    }
    return {
        key: {
            python: _new_or_kept_verdict(
                platform, answers[question], before.get(key, {}).get(python), day
            )
            for python, question in questions.items()
        }
        for key, questions in questions_by_row.items()
    }


def resolve_questions(
    asked: Sequence[ResolutionQuestion],
    resolve: ResolveQuestion,
    at_once: int,
    done: Callable[[], None],
) -> dict[ResolutionQuestion, ResolutionResult]:
    """Return the results of all questions; `at_once` are resolved in parallel.

    `done` is called after each question.
    """
    with ThreadPoolExecutor(at_once) as pool:
        question_by_future = {pool.submit(resolve, question): question for question in asked}
        try:
            result_by_question = {}
            for future in as_completed(question_by_future):
                result_by_question[question_by_future[future]] = future.result()
                done()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return result_by_question


def _new_or_kept_verdict(
    platform: Platform, answer: ResolutionResult, previous: Verdict | None, day: dt.date
) -> Verdict:
    if answer.kind == "unchecked" and previous is not None and previous.kind != "unchecked":
        return previous
    verdict = verdict_of(_other_package_result(platform, answer) or answer, day)
    if previous is None or previous.found != verdict.found:
        return verdict
    return verdict.model_copy(update={"trial": previous.trial})


def _other_package_result(platform: Platform, answer: ResolutionResult) -> ResolutionResult | None:
    """Return a result of kind `none` if the found package is not the vendor's plugin, else None.

    A found version that is older than all versions that the vendor lists belongs to another package
    with the plugin's name. For example, torch-neuronx 1.0 on PyPI is not AWS's package.
    """
    name = canonicalize_name(platform.accelerator.package.name)
    plugin_versions = [Version(row.plugin) for row in platform.compatibility.rows if row.plugin]
    if platform.in_tree or not plugin_versions or name not in answer.found:
        return None
    version = version_or_none(answer.found[name])
    if version is None or version >= min(plugin_versions):
        return None
    reason = f"the index has {name} {version}, older than every version that the vendor names"
    return ResolutionResult("none", why=f"{reason}: another package of that name.")


def verdict_counts(known: Mapping[RowKey, Mapping[str, Verdict]]) -> dict[str, int]:
    """Return the number of verdicts by kind, such as `{"found": 12, "none": 1}`.

    Kinds without verdicts are absent.
    """
    counts: dict[str, int] = {}
    for by_python in known.values():
        for verdict in by_python.values():
            counts[verdict.kind] = counts.get(verdict.kind, 0) + 1
    return counts


ResolverFactory = Callable[[Sequence[ResolutionQuestion], Path], ResolveQuestion]
"""A function from all questions and uv's cache folder to a function that resolves one question."""

_KIND_LABELS = {
    "found": "versions found",
    "none": "no such combination",
    "unchecked": "not checked",
}


class VerdictCounts(NamedTuple):
    """The number of verdicts by kind, such as `found`.

    `name` is the platform's id, or a text such as `3 platforms` for the sum of several.
    """

    name: str
    counts: Mapping[str, int]

    def __str__(self) -> str:
        count_texts = (
            f"{self.counts[kind]} {w}" for kind, w in _KIND_LABELS.items() if self.counts.get(kind)
        )
        return f"{self.name}: {', '.join(count_texts) or 'no command of pip or uv'}"


MIN_FREE_BYTES = 10 * 10**9
"""The free disk space for an installation: a CUDA build takes 5.3 GB and its downloads 3 GB."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Options of a verification: `day` is the date of the verdicts, `cache` is uv's folder."""

    day: dt.date
    cache: Path
    jobs: int = 4
    """The number of questions that are resolved at once."""
    trial_seconds: float = 0
    """The time limit for installing the commands for this machine; 0: nothing is installed."""
    free_bytes: int = MIN_FREE_BYTES
    """Below this free disk space, no further command is installed."""
    resolver: ResolverFactory = resolver_of_reachable_hosts
    progress: Progress = no_progress
    trial_told: Callable[[str], None] = lambda _: None
    """Called with a line about the result of each installation."""


def verify_commands(
    root: Path,
    catalog: Catalog,
    how: Verification,
    platforms: Collection[str] = (),
    told: Callable[[VerdictCounts], None] = lambda _: None,
) -> tuple[VerdictCounts, ...]:
    """Verify pip and uv commands, and write the verdicts of each platform.

    `platforms` are ids; if it is empty, the commands of all platforms are verified. Returns the
    number of verdicts by kind for each platform. `told` is called with these numbers after a
    platform's file is written. At the end, the commands for this machine are also installed, unless
    `how.trial_seconds` is 0. Raises ProblemsError if a verdict file cannot be read. Raises OSError
    if a verdict file cannot be written, or if uv is missing.
    """
    selected_platforms = [p for p in catalog.platforms if not platforms or p.id in platforms]
    all_rows = rows_by_platform(catalog)
    rows = {platform.id: all_rows[platform.id] for platform in selected_platforms}
    # One function for all platforms, so that the hosts are checked once.
    resolve = how.resolver(distinct_questions(chain(*rows.values())), how.cache)
    all_counts = []
    verdicts_by_platform: dict[str, Verdicts] = {}
    for platform in selected_platforms:
        verdicts = _verify_platform(root, platform, rows[platform.id], resolve, how)
        counts = VerdictCounts(platform.id, verdict_counts(verdicts))
        told(counts)
        all_counts.append(counts)
        verdicts_by_platform[platform.id] = verdicts
    if how.trial_seconds:
        uv = installed_uv(how.cache)
        run_trials(
            root,
            rows,
            verdicts_by_platform,
            how,
            lambda row, seconds: install_row(row, uv, seconds),
        )
    return tuple(all_counts)


def total_counts(found: Sequence[VerdictCounts]) -> VerdictCounts | None:
    """Return the sum of the counts of several platforms; None for fewer than two platforms."""
    if len(found) < 2:  # noqa: PLR2004 - several
        return None
    total: Counter[str] = Counter()
    for platform_counts in found:
        total.update(platform_counts.counts)
    return VerdictCounts(count(len(found), "platform"), total)


def _verify_platform(
    root: Path,
    platform: Platform,
    rows: Sequence[InstallRow],
    resolve: ResolveQuestion,
    how: Verification,
) -> Verdicts:
    previous_verdicts = read_verdicts(root, platform.id)
    questions = distinct_questions(rows)
    with how.progress(platform.id, len(questions)) as advance:
        answers = resolve_questions(questions, resolve, how.jobs, advance)
    new_verdicts = verdicts_of_rows(platform, rows, answers, previous_verdicts, how.day)
    if new_verdicts:
        write_verdicts(root, platform.id, new_verdicts)
    return new_verdicts


# Installs the commands for this machine, within limits of time and disk.
#
# Commands without a trial come first, then those with the oldest trial; each platform's newest
# release comes before earlier ones. Each success is written at once, so that an interruption loses
# none.

TrialInstall = Callable[[InstallRow, float], InstallResult]
"""A function that installs a row within a number of seconds. It raises OSError."""


@dataclass(frozen=True, slots=True)
class _TrialCandidate:
    row: InstallRow
    places: tuple[tuple[str, RowKey, str], ...]
    """The verdicts that the installation concerns: platform id, row key and Python version."""


def run_trials(
    root: Path,
    rows: Mapping[str, Sequence[InstallRow]],
    known: Mapping[str, Verdicts],
    how: Verification,
    install: TrialInstall,
) -> None:
    """Install the resolved commands for this machine, and write the successful installations.

    Success means that all packages are installed and imported. `rows` and `known` are by platform
    id. Raises OSError if a result cannot be written, or if `install` raises it.
    """
    deadline = time.monotonic() + how.trial_seconds
    results = {name: {key: dict(v) for key, v in by_key.items()} for name, by_key in known.items()}
    candidates = _trial_candidates(rows, results)
    with how.progress("installing", len(candidates)) as advance:
        for number, candidate in enumerate(candidates):
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0 or shutil.disk_usage(tempfile.gettempdir()).free < how.free_bytes:
                disk_text = f"less than {how.free_bytes / 10**9:.0f} GB of disk space is free"
                why = "the time limit was reached" if seconds_left <= 0 else disk_text
                stop_message = f"Not installed: {len(candidates) - number} commands, because {why}."
                how.trial_told(stop_message)
                break
            install_result = install(candidate.row, seconds_left)
            name = f"{candidate.row.platform} {candidate.row.option} {candidate.row.build}"
            if not install_result.imported:
                how.trial_told(f"{name}: {install_result.output}")
            else:
                trial = Trial(
                    on=how.day,
                    python=machine.python_version(),
                    imported=install_result.imported,
                    checked=install_result.checked,
                )
                _write_trial(root, candidate, results, trial)
                how.trial_told(f"{name}: imported {', '.join(install_result.imported)}")
            advance()


MAX_TRIAL_AGE = dt.timedelta(days=2)
"""Installations of another job that are older are not taken over."""


def import_trials(root: Path, folder: Path, platforms: Iterable[str], day: dt.date) -> int:
    """Add another job's installations to the verdicts; return the number of changed verdicts.

    `folder` has the verdict files that `run_trials` wrote in the other job. This job ran the
    packages' code, so its files are not trusted: an installation is accepted only if it is at most
    two days old (MAX_TRIAL_AGE) and has the same versions as the verdict below `root`. Raises
    ProblemsError if a file below `root` cannot be read. If files in `folder` cannot be read, adds
    the installations of the other files first, and then raises ProblemsError.
    """
    change_count = 0
    problems: list[Problem] = []
    for platform in platforms:
        try:
            imported = read_verdict_file(folder / f"{platform}.json")
        except ProblemsError as error:
            problems += error.problems
            continue
        ours = read_verdicts(root, platform)
        merged = {
            key: {
                p: _with_accepted_trial(v, imported.get(key, {}).get(p), p, day)
                for p, v in row.items()
            }
            for key, row in ours.items()
        }
        if merged != ours:
            write_verdicts(root, platform, merged)
            change_count += sum(
                v != ours[key][p] for key, row in merged.items() for p, v in row.items()
            )
    if problems:
        raise ProblemsError(problems)
    return change_count


def _with_accepted_trial(
    verdict: Verdict, imported: Verdict | None, python: str, day: dt.date
) -> Verdict:
    trial = imported.trial if imported and imported.found == verdict.found else None
    if trial is None or verdict.kind != "found" or (verdict.trial and verdict.trial.on >= trial.on):
        return verdict
    is_recent = day - MAX_TRIAL_AGE <= trial.on <= day
    same_python = trial.python.startswith(f"{python.removesuffix('t')}.")
    return verdict.model_copy(update={"trial": trial}) if is_recent and same_python else verdict


def _write_trial(
    root: Path,
    candidate: _TrialCandidate,
    results: Mapping[str, dict[RowKey, dict[str, Verdict]]],
    trial: Trial,
) -> None:
    for platform, key, python in candidate.places:
        verdict = results[platform][key][python]
        results[platform][key][python] = verdict.model_copy(update={"trial": trial})
    for platform in {platform for platform, _, _ in candidate.places}:
        write_verdicts(root, platform, results[platform])


def _trial_candidates(
    rows: Mapping[str, Sequence[InstallRow]], verdicts: Mapping[str, Verdicts]
) -> list[_TrialCandidate]:
    """Return the resolved commands for this machine, each with the install rows that share it.

    Commands that were never installed come first, then the commands with the oldest installation.
    """
    rows_by_command: dict[tuple[ResolutionQuestion, CheckLine | None], list[_CandidateRow]] = {}
    for platform, platform_rows in rows.items():
        local_rows = (
            (row, python, question)
            for row in platform_rows
            for python, question in questions_of_row(row).items()
            if is_for_this_machine(row, python)
        )
        for number, (row, python, question) in enumerate(local_rows):
            verdict = verdicts.get(platform, {}).get(verdict_row_key(row), {}).get(python)
            if verdict and verdict.kind == "found":
                last_day = verdict.trial.on if verdict.trial else dt.date.min
                candidate_row = _CandidateRow(last_day, number, row, python)
                rows_by_command.setdefault((question, row.check), []).append(candidate_row)
    groups = sorted(
        rows_by_command.values(), key=lambda group: min((p.last, p.number) for p in group)
    )
    return [
        _TrialCandidate(
            group[0].row, tuple((p.row.platform, verdict_row_key(p.row), p.python) for p in group)
        )
        for group in groups
    ]


@dataclass(frozen=True, slots=True)
class _CandidateRow:
    last: dt.date
    number: int
    row: InstallRow
    python: str
