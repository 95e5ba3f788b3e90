"""One round of answers: look, compare, say it on pull requests, keep what the main branch gave."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from accelerator_portal.automation.github import Api, GitHubError
from accelerator_portal.automation.pull_request_comment import HarmfulError
from accelerator_portal.automation.upstream.answer_ledger import LookupResult
from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.checks import (
    check_run,
    device_of,
    level_of,
    may_check,
    put_check_run,
    with_labels_now,
)
from accelerator_portal.automation.upstream.comment_update import CommentAccess, update_comment
from accelerator_portal.automation.upstream.marker import PlatformAnswer
from accelerator_portal.automation.upstream.news import news
from accelerator_portal.automation.upstream.payload import run_title
from accelerator_portal.catalog import Catalog, ProblemsError
from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.catalog.catalog import RESULTS
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.results.archive import read_state_of
from accelerator_portal.results.standing import State

KEPT = "upstream-main"
"""The name in `results/` of a platform's newest report of PyTorch's main branch."""


@dataclass(frozen=True, slots=True)
class Bases:
    """How platforms' tests stand on the base; one that cannot be read is no base, and is said."""

    root: Path
    """The repository."""
    faults: list[str] = field(default_factory=list)
    """What could not be read."""

    def of(self, accelerator: str) -> State:
        """Return the base of a platform."""
        try:
            return read_state_of(self.root, accelerator, "runs")
        except ProblemsError as error:
            self.faults.append(f"The history of {accelerator} cannot be read: {error.problems[0]}")
            return State(accelerator, "runs")


@dataclass(frozen=True, slots=True)
class ComparedReport:
    """A report that was found, beside its base."""

    change: Change
    answer: PlatformAnswer


def compare_with_bases(
    looked: Iterable[LookupResult], catalog: Catalog, bases: Bases, today: dt.date
) -> Iterator[ComparedReport]:
    """Compare every report that was found with its platform's base."""
    for one in looked:
        platform = catalog.by_id.get(one.asked.entry.accelerator)
        found = one.found
        if platform is None or found is None or found.report is None or found.run is None:
            continue
        change = one.asked.change
        said = news(found.report, bases.of(platform.id), platform.known_issues, today)
        yield ComparedReport(
            change,
            PlatformAnswer.model_validate(
                {
                    "accelerator": platform.id,
                    "name": platform.accelerator.name,
                    "head": change.head,
                    "repository": found.repository,
                    "run": found.run,
                    "torch": found.report.environment.torch,
                    "late": found.state == "late",
                    "news": said,
                }
            ),
        )


@dataclass(slots=True)
class PostedAnswers:
    """What was written upstream."""

    said: list[str] = field(default_factory=list)
    """What was done, in sentences."""
    failed: set[int] = field(default_factory=set)
    """The pull requests that could not be written to."""
    checked: set[str] = field(default_factory=set)
    """The titles of the runs that have a check run now."""


def post_answers(
    desk: CommentAccess, catalog: Catalog, found: Sequence[ComparedReport]
) -> PostedAnswers:
    """Answer on every pull request.

    One that cannot be written to does not keep the others from theirs; it is tried again in the
    next round.
    """
    done = PostedAnswers()
    for change, reports in _by_pull_request(found).items():
        try:
            done.said.append(update_comment(desk, change, [one.answer for one in reports]))
            _put_checks(desk.api, catalog, change, reports, done)
        except (GitHubError, HarmfulError) as error:
            done.failed.add(change.number or 0)
            done.said.append(f"Pull request {change.number} could not be answered: {error}")
    return done


def store_main_reports(root: Path, looked: Iterable[LookupResult]) -> list[str]:
    """Put reports of the main branch into the platforms' results, where the nightly folds them.

    Returns the platforms. Raises OSError.
    """
    newest: dict[str, LookupResult] = {}
    for one in looked:
        if one.asked.change.number is None and one.found and one.found.report:
            other = newest.setdefault(one.asked.entry.accelerator, one)
            if one.asked.at > other.asked.at:
                newest[one.asked.entry.accelerator] = one
    for accelerator, one in newest.items():
        if one.found and one.found.report:
            place = root / "accelerators" / accelerator / RESULTS / f"{KEPT}.json"
            place.parent.mkdir(exist_ok=True)
            write_bytes_atomically(place, report_text(one.found.report).encode())
    return sorted(newest)


def _by_pull_request(found: Iterable[ComparedReport]) -> Mapping[Change, list[ComparedReport]]:
    """Reports by the newest event of each pull request: what it says of labels counts."""
    changes: dict[tuple[str, int], Change] = {}
    reports: dict[tuple[str, int], list[ComparedReport]] = {}
    for one in found:
        if one.change.number is not None:
            place = (one.change.repository, one.change.number)
            changes[place] = one.change
            reports.setdefault(place, []).append(one)
    return {change: reports[place] for place, change in changes.items()}


def _put_checks(
    api: Api,
    catalog: Catalog,
    change: Change,
    reports: Iterable[ComparedReport],
    done: PostedAnswers,
) -> None:
    listed = [(one, level_of(catalog, one.answer.repository)) for one in reports]
    if not any(level in {"L3", "L4"} for _, level in listed):
        return
    change = with_labels_now(api, change)
    for one, level in listed:
        answer = one.answer
        device = device_of(catalog, answer.repository)
        if level and may_check(catalog.by_id[answer.accelerator], level, change, device):
            body = check_run(answer, change, level)
            done.said.append(put_check_run(api, change.repository, body))
            done.checked.add(run_title(one.change, answer.accelerator))
