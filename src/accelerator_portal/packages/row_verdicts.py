"""Asking every question of many rows side by side; what was known stays where nothing answers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog import Platform
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.questions import ResolutionQuestion, questions
from accelerator_portal.packages.uv_resolution import ResolutionResult
from accelerator_portal.packages.verdict_file import RowKey, Verdict, Verdicts, key_of, verdict_of

Resolve = Callable[[ResolutionQuestion], ResolutionResult]


def verdicts(
    platform: Platform,
    rows: Iterable[InstallRow],
    answers: Mapping[ResolutionQuestion, ResolutionResult],
    before: Verdicts,
    day: dt.date,
) -> Verdicts:
    """Return the verdicts of a platform's rows, from the answers to all their questions.

    Where an index did not respond, what was known of the same row stays, with its date. Rows of
    other methods, and those that name no Python, have no verdict.
    """
    asked = {key_of(row): found for row in rows if (found := questions(row))}
    return {
        key: {
            python: _verdict(platform, answers[question], before.get(key, {}).get(python), day)
            for python, question in found.items()
        }
        for key, found in asked.items()
    }


def resolve_questions(
    asked: Sequence[ResolutionQuestion], resolve: Resolve, at_once: int, done: Callable[[], None]
) -> dict[ResolutionQuestion, ResolutionResult]:
    """Ask every question, so many at once; `done` is called after each."""
    with ThreadPoolExecutor(at_once) as pool:
        waiting = {pool.submit(resolve, question): question for question in asked}
        try:
            found = {}
            for future in as_completed(waiting):
                found[waiting[future]] = future.result()
                done()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found


def _verdict(
    platform: Platform, answer: ResolutionResult, before: Verdict | None, day: dt.date
) -> Verdict:
    if answer.kind == "unchecked" and before is not None and before.kind != "unchecked":
        return before
    verdict = verdict_of(_of_another(platform, answer) or answer, day)
    if before is None or before.found != verdict.found:
        return verdict
    return verdict.model_copy(update={"trial": before.trial})


def _of_another(platform: Platform, answer: ResolutionResult) -> ResolutionResult | None:
    """What was found may be another package of the same name, older than all the vendor's own.

    PyPI's torch-neuronx 1.0 is one: it resolves, and is not AWS's.
    """
    name = canonicalize_name(platform.accelerator.package.name)
    own = [Version(row.plugin) for row in platform.compatibility.rows if row.plugin]
    if platform.in_tree or not own or name not in answer.found:
        return None
    try:
        version = Version(answer.found[name])
    except InvalidVersion:
        return None
    if version >= min(own):
        return None
    why = f"the index has {name} {version}, older than every version that the vendor names"
    return ResolutionResult("none", why=f"{why}: another package of that name.")


def shares(known: Mapping[RowKey, Mapping[str, Verdict]]) -> dict[str, int]:
    """Return how many verdicts there are of each kind."""
    found: dict[str, int] = {}
    for by_python in known.values():
        for verdict in by_python.values():
            found[verdict.kind] = found.get(verdict.kind, 0) + 1
    return found
