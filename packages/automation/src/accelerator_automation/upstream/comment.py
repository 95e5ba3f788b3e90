"""Writes and posts the comment on a PyTorch pull request with each platform's results.

All text from data is in code spans and code blocks, so that it mentions nobody and has no effect.
The comment's first line is an HTML comment (its marker) that stores the results (`CommentMemory`)
for the next update. Anybody can write such a marker, so it is read only from a comment of the
portal's own account, as untrusted data. Results can come twice, late or in another order; results
for an older commit of the pull request are left out.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from accelerator_automation.github.api import Api, read_response
from accelerator_automation.github.comments import (
    Maintainers,
    own_comment,
    put_comment,
    require_harmless,
)
from accelerator_automation.github.models import FullName, Number
from accelerator_automation.upstream.approval import UpstreamPullRequest
from accelerator_automation.upstream.incoming import Change, Sha1
from accelerator_automation.upstream.new_failures import NewFailure, ReportNews
from accelerator_portal.catalog.markdown_file import code_span, fenced_code
from accelerator_reports.files.fields import Id, StrictModel
from accelerator_reports.files.wording import count

MUTE = "no-accelerator-reports"
"""The label that stops comments on a pull request."""

MOST_CHARACTERS = 60_000
"""The maximum number of characters of a comment, including its memory. GitHub accepts 65,536."""

# The number of tests to list for each platform. The first number with which the comment is not too
# long is used.
_TEST_LIMITS = (20, 10, 5, 1, 0)

_INTRODUCTION = (
    "Test results of out-of-tree platforms for this pull request. The platforms run these tests in "
    "their own CI; nobody else has verified the results. They don't block merging."
)
_NO_NEW_FAILURES = "No new failures in the latest reports."
_NO_BASE = "No new failures found; platforms without a base have nothing to compare with."
_FOOTER = (
    f"This comment is updated in place. To stop these comments on this pull request, add the label "
    f"`{MUTE}`. Platforms list expected failures in `known-issues.yaml`."
)

PREFIX = "<!-- accelerator-portal:upstream "

_SUFFIX = " -->"
_MARKER = re.compile(rf"{re.escape(PREFIX)}([A-Za-z0-9+/=]{{1,60000}}){_SUFFIX}")
_MOST_MEMORY_BYTES = 1024 * 1024

MOST_ANSWERS = 40
"""The maximum number of platforms that a comment shows."""

VersionText = Annotated[str, StringConstraints(max_length=200)]


class PlatformAnswer(StrictModel):
    """A platform's test result for a change: the run, and the report compared with its base."""

    accelerator: Id
    """The platform's id."""
    name: Annotated[str, StringConstraints(max_length=40)]
    """The platform's name."""
    head: Sha1
    """The commit that was tested."""
    repository: FullName
    """The repository of the run, according to GitHub."""
    run: Number
    """The id of the run."""
    page: Number | None = None
    """The id of the artifact with the report's HTML page, or None."""
    torch: VersionText | None = None
    """The version of torch that the report names, or None."""
    late: bool = False
    """Whether the tests ended after the deadline."""
    news: ReportNews
    """The report compared with its base."""


class CommentMemory(StrictModel):
    """The results that the comment on a pull request shows, stored in the comment itself."""

    schema_version: Literal[1] = 1
    """The version of this format."""
    answers: Annotated[tuple[PlatformAnswer, ...], Field(max_length=MOST_ANSWERS)] = ()
    """The newest answer of each platform, sorted by platform id."""


@dataclass(frozen=True, slots=True)
class CommentAccess:
    """The API, the account that posts comments, and the maintainers that comments name."""

    api: Api
    login: str
    """The account of the token; only comments of this account are updated."""
    maintainers: Maintainers
    """The GitHub logins of each platform's maintainers, by platform id."""
    quiet: Collection[str] = ()
    """The ids of the platforms that comment on new failures only."""


def update_comment(access: CommentAccess, change: Change, answers: Sequence[PlatformAnswer]) -> str:
    """Post or update the comment with platforms' answers on the pull request of `change`.

    Posts nothing if no comment is needed. Returns a sentence that says what was done. Raises
    GitHubError, and HarmfulError if the comment must not be posted.
    """
    pull = read_response(
        access.api, f"repos/{change.repository}/pulls/{change.number}", UpstreamPullRequest
    )
    current_answers = [answer for answer in answers if answer.head == pull.head.sha]
    if reason := _reason_for_silence(pull, current_answers):
        return f"Pull request {pull.number} {reason}: no comment posted."
    comment = own_comment(access.api, change.repository, pull.number, access.login, PREFIX)
    old_memory = memory_of_comment(comment.body or "") if comment else CommentMemory()
    new_memory = merged_memory(old_memory, current_answers, access.quiet)
    if not new_memory.answers:
        return f"No new failures in pull request {pull.number}: no comment posted."
    text = comment_text(new_memory, access.maintainers)
    return put_comment(access.api, change.repository, pull.number, comment, text)


def _reason_for_silence(
    pull: UpstreamPullRequest, current_answers: Sequence[PlatformAnswer]
) -> str | None:
    if pull.state != "open":
        return f"is {pull.state}"
    if MUTE in {label.name for label in pull.labels}:
        return f"has the label {MUTE}"
    return None if current_answers else "has a newer commit"


def merged_memory(
    before: CommentMemory, answers: Iterable[PlatformAnswer], quiet: Collection[str] = ()
) -> CommentMemory:
    """Return `before` with new answers. A new answer replaces the platform's earlier answer.

    An answer without new failures is omitted if its platform is in `quiet` and has no earlier
    answer. If there are more than `MOST_ANSWERS`, the answers with the most new failures stay.
    """
    answers_by_id = {answer.accelerator: answer for answer in before.answers}
    for answer in answers:
        is_quiet = answer.accelerator in quiet and answer.accelerator not in answers_by_id
        if answer.news.newly_broken or not is_quiet:
            answers_by_id[answer.accelerator] = answer
    ranked = sorted(
        answers_by_id.values(), key=lambda answer: (-answer.news.newly_broken, answer.accelerator)
    )
    shown_answers = sorted(ranked[:MOST_ANSWERS], key=lambda answer: answer.accelerator)
    return CommentMemory(answers=tuple(shown_answers))


def run_page(answer: PlatformAnswer) -> str:
    """Return the URL of the run that made a report."""
    return f"https://github.com/{answer.repository}/actions/runs/{answer.run}"


def _links(answer: PlatformAnswer) -> dict[str, str]:
    """Return the URLs that a comment links for an answer, by the words of the link."""
    pages = {"report": f"{run_page(answer)}/artifacts/{answer.page}"} if answer.page else {}
    return {**pages, "run": run_page(answer)}


def comment_text(memory: CommentMemory, maintainers: Maintainers) -> str:
    """Return the text of the comment that shows and stores the results in `memory`.

    `maintainers` has the GitHub logins of each platform's maintainers. If the text would be too
    long, the comment lists and stores fewer tests. Raises HarmfulError if the text must not be
    posted.
    """
    marker_text = text = ""
    for limit in _TEST_LIMITS:
        shown_memory = _with_fewer_tests(memory, limit)
        marker_text = marker(shown_memory)
        text = "\n\n".join([marker_text, *_paragraphs(shown_memory, maintainers)]) + "\n"
        if len(text) <= MOST_CHARACTERS:
            break
    links = (url for answer in memory.answers for url in _links(answer).values())
    require_harmless("comment", text, marker_text, links)
    return text


def _with_fewer_tests(memory: CommentMemory, most: int) -> CommentMemory:
    """Return the memory with at most `most` new failures of each platform.

    Keeps at most one flaky test of each platform, or none if `most` is 0.
    """
    answers = []
    for answer in memory.answers:
        short = {"newly": answer.news.newly[:most], "flaky": answer.news.flaky[: min(most, 1)]}
        answers.append(answer.model_copy(update={"news": answer.news.model_copy(update=short)}))
    return CommentMemory(answers=tuple(answers))


def _paragraphs(memory: CommentMemory, maintainers: Maintainers) -> Iterator[str]:
    failing_answers = [answer for answer in memory.answers if answer.news.newly_broken]
    good = _NO_NEW_FAILURES if all(one.news.base for one in memory.answers) else _NO_BASE
    yield _headline(failing_answers) if failing_answers else good
    yield _INTRODUCTION
    yield "\n".join(_results(memory.answers))
    for answer in failing_answers:
        yield from _section(answer, maintainers.get(answer.accelerator, ()))
    yield _FOOTER


def _results(answers: Iterable[PlatformAnswer]) -> Iterator[str]:
    """Yield one list item for each platform: how many tests passed and failed."""
    for answer in answers:
        news = answer.news
        other = news.red_already + news.flaky_failing + news.known + news.no_base
        numbers = (
            (news.passed, "passed"),
            (news.newly_broken, "newly failing"),
            (other, "failing otherwise"),
            (news.silent, "without a result"),
        )
        parts = [f"{number:,} {what}" for number, what in numbers if number] or ["no tests"]
        parts += ["no base"] if news.base is None else []
        where = f"{code_span(answer.name)} at {code_span(answer.head[:12])}"
        parts += [f"[{words}]({url})" for words, url in _links(answer).items()]
        yield f"- {where}: {', '.join(parts)}"


def _headline(failing_answers: Iterable[PlatformAnswer]) -> str:
    broken_counts = (
        f"{code_span(answer.name)} {count(answer.news.newly_broken, 'test')}"
        for answer in failing_answers
    )
    return f"**New failures: {', '.join(broken_counts)}.**"


def _section(answer: PlatformAnswer, people: Sequence[str]) -> Iterator[str]:
    news = answer.news
    yield f"#### {code_span(answer.name)}: new failures in {count(news.newly_broken, 'test')}"
    yield _run_description(answer)
    lines = [_failure_item(failure) for failure in news.newly]
    if more := news.newly_broken - len(lines):
        lines.append(f"- {more:,} more (see the run)")
    yield "\n".join(lines)
    if other_text := _other_results(answer):
        yield other_text
    if command := next((failure.command for failure in news.newly if failure.command), None):
        yield "\n".join(["To reproduce the first failure:", "", *fenced_code([command], "bash")])
    contacts = ", ".join(map(code_span, people)) if people else "no maintainer listed"
    yield f"Contact: {contacts}."


def _run_description(answer: PlatformAnswer) -> str:
    base_time = answer.news.base
    late = " The report arrived after its deadline." if answer.late else ""
    torch = f" with torch {code_span(answer.torch)}" if answer.torch else ""
    return (
        f"At {code_span(answer.head[:12])}{torch}, reported by {code_span(answer.repository)}, "
        f"[this run]({run_page(answer)}): {count(answer.news.tests, 'test')}. The base is the "
        f"platform’s own runs up to {f'{base_time:%Y-%m-%d}' if base_time else 'none'}.{late}"
    )


def _failure_item(failure: NewFailure) -> str:
    reason = f": {code_span(failure.reason)}" if failure.reason else ""
    return f"- {code_span(failure.key)} {failure.outcome}{reason}"


def _other_results(answer: PlatformAnswer) -> str:
    news = answer.news
    counts = [
        (news.red_already, "already failing on the base"),
        (news.known, "with known issues"),
        (news.no_base, "without a result on the base"),
        (news.mended, "fixed"),
    ]
    parts = [f"{count(number, 'test')} {description}" for number, description in counts if number]
    text = f"Other results: {', '.join(parts)}." if parts else ""
    if news.flaky_failing:
        text += f" {count(news.flaky_failing, 'test')} failing, but flaky on the base"
        rates = (
            f": {code_span(test.key)} failed in {test.bad} of its last {test.of} runs"
            for test in news.flaky
        )
        text += f"{next(rates, '')}."
    return text.strip()


def marker(memory: CommentMemory) -> str:
    """Return the HTML comment that stores a memory on a pull request."""
    packed = zlib.compress(memory.model_dump_json(exclude_defaults=True).encode(), 9)
    return f"{PREFIX}{base64.b64encode(packed).decode()}{_SUFFIX}"


def memory_of_comment(body: str) -> CommentMemory:
    """Return the results that a comment's marker stores; empty if the marker cannot be read."""
    match = _MARKER.match(body)
    if match is None:
        return CommentMemory()
    try:
        packed = base64.b64decode(match[1], validate=True)
        return CommentMemory.model_validate_json(
            zlib.decompressobj().decompress(packed, _MOST_MEMORY_BYTES)
        )
    except (binascii.Error, zlib.error, ValidationError):
        return CommentMemory()
