"""Verifies install commands with uv, and stores the verdicts in `data/verdicts`.

Each pip and uv command is resolved. Commands for this machine can also be installed, see
`trial_installs`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name
from packaging.version import Version
from pypi_simple import PYPI_SIMPLE_ENDPOINT
from uv import find_uv_bin

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX
from accelerator_portal.http import FetchError, HttpClient, RequestLimits, open_client
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.trial_installs import TrialOptions, install_row, run_trials
from accelerator_portal.packages.uv_resolution import (
    ResolutionQuestion,
    ResolutionResult,
    Uv,
    distinct_questions,
    questions_of_row,
    resolve,
)
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

# Checks which hosts of package indexes respond, so that uv does not wait for silent hosts.

USER_AGENT = "accelerator-portal (checks whether package indexes respond)"
PYPI_HOST = urlsplit(PYPI_SIMPLE_ENDPOINT).netloc
RESOLUTION_TIME_LIMIT_S = 45 * 60
"""The time limit for resolving all install commands: half of the nightly job's time limit."""

NO_ANSWER = "did not respond"
"""The text that follows the name of a silent host in a verdict. The site searches for this text."""

_TIME_LIMIT_REASON = f"the {RESOLUTION_TIME_LIMIT_S // 60} minutes for resolving have elapsed"
_MOST_FAILURES = 5
HOST_CHECK_LIMITS = RequestLimits(timeout=15.0, redirects=0)  # a redirect is a response, too


def resolver_of_reachable_hosts(
    asked: Iterable[ResolutionQuestion], cache: Path
) -> Callable[[ResolutionQuestion], ResolutionResult]:
    """Check which package indexes respond, and return a function that resolves a question.

    `asked` are the questions that will be resolved; the hosts of their indexes are checked. The
    returned function gives a result of kind `unchecked` if a host of its question does not respond.
    It also does so once RESOLUTION_TIME_LIMIT_S seconds have elapsed since the check. `cache` is
    uv's cache folder. Raises OSError if uv is missing or `cache` cannot be created.
    """
    uv = installed_uv(cache)
    reachable = ReachableHosts(
        unreachable_hosts(host for one in asked for host in index_hosts(one))
    )
    deadline = time.monotonic() + RESOLUTION_TIME_LIMIT_S

    def resolve_if_reachable(question: ResolutionQuestion) -> ResolutionResult:
        if time.monotonic() > deadline:
            return ResolutionResult("unchecked", why=_TIME_LIMIT_REASON)
        if why := reachable.unreachable_host_text(question):
            return ResolutionResult("unchecked", why=why)
        result = resolve(question, uv)
        reachable.note(question, result)
        return result

    return resolve_if_reachable


class ReachableHosts:
    """Records which hosts of package indexes do not respond; shared between threads.

    `silent` maps each host that is known not to respond to the class name of its error.
    """

    def __init__(self, silent: Mapping[str, str]) -> None:
        self._errors_by_host = dict(silent)
        self._failures: Counter[str] = Counter()
        self._lock = threading.Lock()

    def unreachable_host_text(self, question: ResolutionQuestion) -> str | None:
        """Return a text that names one host of `question` that does not respond, or None."""
        silent = sorted(index_hosts(question) & self._errors_by_host.keys())
        return f"{silent[0]} {NO_ANSWER} ({self._errors_by_host[silent[0]]})" if silent else None

    def note(self, question: ResolutionQuestion, result: ResolutionResult) -> None:
        """Record the result of a question.

        If an index did not respond (`result.no_answer`), checks whether the question's hosts
        respond. A host with five such results in a row counts as not responding.
        """
        hosts = index_hosts(question)
        with self._lock:
            if not result.no_answer:
                if result.kind != "unchecked":
                    for host in hosts:
                        self._failures.pop(host, None)
                return
            self._failures.update(hosts)
            if not hosts & self._errors_by_host.keys():  # else another question has checked them
                self._errors_by_host |= unreachable_hosts(hosts)
            failing_hosts = {host for host in hosts if self._failures[host] >= _MOST_FAILURES}
            self._errors_by_host |= dict.fromkeys(
                failing_hosts - self._errors_by_host.keys(), "uv got no response"
            )


def index_hosts(question: ResolutionQuestion) -> frozenset[str]:
    """Return the hosts of the indexes that a question uses, such as `index.example:8443`.

    PyPI's host is included if a call names no index.
    """
    indexes = [
        index for call in question.calls for index in (call.index, call.extra_index) if index
    ]
    indexes += [PYTORCH_INDEX for call in question.calls if call.backend]
    hosts = {urlsplit(index).netloc.lower() for index in indexes}
    uses_pypi = any(call.index is None for call in question.calls)
    return frozenset(hosts | {PYPI_HOST} if uses_pypi else hosts)


def installed_uv(cache: Path) -> Uv:
    """Return the uv that is installed with the portal.

    Raises OSError if it is missing or its cache folder `cache` can't be created.
    """
    cache.mkdir(parents=True, exist_ok=True)
    return Uv(Path(find_uv_bin()), Path(sys.executable), cache)


def unreachable_hosts(hosts: Iterable[str]) -> Mapping[str, str]:
    """Return the hosts that don't respond over HTTPS, each with the class name of its error.

    A host responds if it sends any HTTP status.
    """
    return asyncio.run(_find_unreachable_hosts(sorted(set(hosts))))


async def _find_unreachable_hosts(hosts: Sequence[str]) -> Mapping[str, str]:
    async with open_client(USER_AGENT, HOST_CHECK_LIMITS) as client:
        faults = await asyncio.gather(*(_request_error(client, host) for host in hosts))
    return {host: fault for host, fault in zip(hosts, faults, strict=True) if fault}


async def _request_error(client: HttpClient, host: str) -> str | None:
    try:
        await client.status(f"https://{host}/", "HEAD")
    except FetchError as error:
        return error.cause
    return None


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
