"""Verifies install commands with uv, and stores the verdicts in `data/verdicts`.

Each pip and uv command is resolved. Commands for this machine can also be installed, see
`trial_installs`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.install_check import install_row
from accelerator_portal.packages.reachable_hosts import installed_uv, resolver_of_reachable_hosts
from accelerator_portal.packages.resolution_questions import (
    ResolutionQuestion,
    distinct_questions,
    questions_of_row,
)
from accelerator_portal.packages.trial_installs import TrialOptions, run_trials
from accelerator_portal.packages.uv_resolution import ResolutionResult
from accelerator_portal.packages.verdict_file import (
    Verdict,
    Verdicts,
    read_verdicts,
    verdict_of,
    verdict_row_key,
    write_verdicts,
)
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.wording import count

ResolveQuestion = Callable[[ResolutionQuestion], ResolutionResult]
"""A function that resolves one question."""


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
    """Return the results of all questions `asked`; up to `at_once` are resolved in parallel.

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
    """Return a result of kind `none` if uv found another package with the plugin's name.

    This is so if the version in `answer` is older than all versions that the vendor lists. For
    example, torch-neuronx 1.0 on PyPI is not AWS's package. Otherwise, returns None.
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


ResolverFactory = Callable[[Sequence[ResolutionQuestion], Path], ResolveQuestion]
"""A function that takes all questions and uv's cache folder, and returns another function.

The returned function resolves one question."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(TrialOptions):
    """Options of a verification: `day` is the verdicts' date, `cache` is uv's cache folder."""

    cache: Path
    jobs: int = 4
    """The number of questions that are resolved at once."""
    resolver: ResolverFactory = resolver_of_reachable_hosts


def verify_commands(
    root: Path,
    catalog: Catalog,
    options: Verification,
    platforms: Collection[str] = (),
    on_progress: Callable[[VerdictCounts], None] = lambda _: None,
) -> tuple[VerdictCounts, ...]:
    """Verify pip and uv commands, and write the verdicts of each platform.

    `platforms` are the ids of the platforms to verify; if it is empty, all are verified. Returns
    the number of verdicts by kind for each platform. `on_progress` is called with these numbers
    after a platform's file is written. At the end, the commands for this machine are also
    installed, unless `options.trial_seconds` is 0.

    Raises ProblemsError if a verdict file cannot be read. Raises OSError if a verdict file cannot
    be written, or if uv is missing.
    """
    selected_platforms = [p for p in catalog.platforms if not platforms or p.id in platforms]
    all_rows = rows_by_platform(catalog)
    rows = {platform.id: all_rows[platform.id] for platform in selected_platforms}
    # One function for all platforms, so that the hosts are checked once.
    resolve = options.resolver(distinct_questions(chain(*rows.values())), options.cache)
    all_counts = []
    verdicts_by_platform: dict[str, Verdicts] = {}
    for platform in selected_platforms:
        verdicts = _verify_platform(root, platform, rows[platform.id], resolve, options)
        kinds: Counter[str] = Counter(
            v.kind for by_python in verdicts.values() for v in by_python.values()
        )
        counts = VerdictCounts(platform.id, kinds)
        on_progress(counts)
        all_counts.append(counts)
        verdicts_by_platform[platform.id] = verdicts
    if options.trial_seconds:
        uv = installed_uv(options.cache)
        run_trials(
            root,
            rows,
            verdicts_by_platform,
            options,
            lambda row, seconds: install_row(row, uv, seconds),
        )
    return tuple(all_counts)


def total_counts(all_counts: Sequence[VerdictCounts]) -> VerdictCounts | None:
    """Return the sum of the counts of several platforms; None if there are fewer than two."""
    if len(all_counts) < 2:  # noqa: PLR2004 - several
        return None
    total: Counter[str] = Counter()
    for platform_counts in all_counts:
        total.update(platform_counts.counts)
    return VerdictCounts(count(len(all_counts), "platform"), total)


def _verify_platform(
    root: Path,
    platform: Platform,
    rows: Sequence[InstallRow],
    resolve: ResolveQuestion,
    options: Verification,
) -> Verdicts:
    previous_verdicts = read_verdicts(root, platform.id)
    questions = distinct_questions(rows)
    with options.progress(platform.id, len(questions)) as advance:
        answers = resolve_questions(questions, resolve, options.jobs, advance)
    new_verdicts = verdicts_of_rows(platform, rows, answers, previous_verdicts, options.day)
    if new_verdicts:
        write_verdicts(root, platform.id, new_verdicts)
    return new_verdicts
