"""Opens an issue for each platform whose cited files on GitHub have changed.

The issue lists the files that changed after the cited commit. This module does not change the facts
that cite these files: a person has to read the newer files.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from pydantic import RootModel

from accelerator_automation.github.api import (
    Api,
    GitHubError,
    exists,
    none_if_missing,
    read_response,
)
from accelerator_automation.github.models import GitHubModel, ListedCommit, Sha
from accelerator_automation.issues import IssueList, Issues, IssueTopic, issue_text
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import facts, platform_id_of
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.files.wording import count
from accelerator_reports.report import Report

LABEL = "cited-file"

CHECK_INTERVAL_DAYS = 7
"""Each platform is checked once in this number of days. GitHub limits requests per hour, so the
platforms are checked on different days."""

_SHARED_DATA = "shared-data"
_DECLINED = "not_planned"
_MOST_LINES, _MOST_PLACES, _MOST_LINE_CHARACTERS, _MOST_ENTRY_CHARACTERS = 5, 3, 160, 50_000

_FILE_URL = re.compile(
    r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/(?:blob|tree)"
    r"/(?P<commit>[0-9a-f]{7,40})/(?P<path>[^?#]+)"
)


@dataclass(frozen=True, slots=True, order=True)
class CitedFile:
    """A file or folder at a commit of a repository on GitHub."""

    repository: str
    commit: str
    path: str


@dataclass(slots=True)
class Citations:
    """The places in this repository that cite one file, and the lines of the file that they cite.

    `places` and `lines` have the same length and order. A place is `<path>:<line>` of a fact, or
    the path of a report. Its cited lines are `12` or `12-20`, or None for the whole file.
    """

    places: list[str] = field(default_factory=list)
    lines: list[str | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CitedChange:
    """A list item of an issue: a cited file that has changed, or a repository that is gone.

    `name` is the file or repository as Markdown. `places` lists where the file is cited (see
    `Citations`). `words` are sentences that describe the change. If a person closes the issue as
    not planned, the item is not reported again.
    """

    name: str
    places: tuple[str, ...]
    words: tuple[str, ...]


class _FolderEntry(GitHubModel):
    name: str
    sha: Sha


class _FileResponse(GitHubModel):
    sha: Sha
    encoding: str
    content: str


class _Contents(RootModel[_FileResponse | tuple[_FolderEntry, ...]]):
    """GitHub's response for a path: a file, or the entries of a folder."""


def cited_files(catalog: Catalog) -> dict[str, dict[CitedFile, Citations]]:
    """Return the cited files on GitHub and their citations, by platform id.

    The key `shared-data` has the files that shared data cites. Facts cite files in their sources,
    imported reports cite files in their origins. Baselines that the nightly update converts again
    (see `is_converted_again`) are omitted.
    """
    files_by_platform: dict[str, dict[CitedFile, Citations]] = {p.id: {} for p in catalog.platforms}
    for fact in facts(catalog):
        platform_files = files_by_platform.setdefault(platform_id_of(fact.path) or _SHARED_DATA, {})
        for source in fact.sources:
            if source.url and (match := _FILE_URL.match(source.url)):
                repository, commit, path = match.groups()
                citations = platform_files.setdefault(
                    CitedFile(repository, commit, unquote(path)), Citations()
                )
                citations.places.append(f"{fact.path}:{fact.line}")
                citations.lines.append(source.lines)
    for stored in stored_reports(catalog)[0]:
        for origin in () if is_converted_again(stored.report) else stored.report.origins:
            file = CitedFile(origin.repository, origin.commit, origin.path)
            citations = files_by_platform[stored.report.accelerator].setdefault(file, Citations())
            citations.places.append(stored.path)
            citations.lines.append(None)
    return files_by_platform


def is_converted_again(report: Report) -> bool:
    """Return whether a report is an imported baseline, which the nightly update converts again."""
    return report.kind == "baseline" and bool(report.origins)


def is_checked_on_day(index: int, day: dt.date) -> bool:
    """Return whether the item at `index` of a list is checked on `day`.

    Each item is checked once in `CHECK_INTERVAL_DAYS` days.
    """
    return (index + day.toordinal()) % CHECK_INTERVAL_DAYS == 0


def newest_commit(api: Api, repository: str, path: str, tag: str = "") -> ListedCommit | None:
    """Return the newest commit that changed a file or folder, or None if there is none.

    With a tag, searches the commits up to the tag, otherwise the default branch. Raises
    GitHubError.
    """
    api_path = f"repos/{repository}/commits?path={quote(path)}&per_page=1{tag and f'&sha={tag}'}"
    return next(iter(read_response(api, api_path, tuple[ListedCommit, ...])), None)


def report_cited_files(api: Api, home: str, catalog: Catalog, day: dt.date) -> Issues:
    """Open, update and close one issue for each platform whose cited files have changed.

    Checks only some platforms on each `day`, so that each platform is checked once in
    `CHECK_INTERVAL_DAYS` days. `home` is this repository (OWNER/NAME). Returns how many issues were
    opened, updated and closed. Raises GitHubError.
    """
    files_by_platform = cited_files(catalog)
    checked_names = [
        name
        for index, name in enumerate(sorted(files_by_platform))
        if is_checked_on_day(index, day)
    ]
    issues = IssueList(api, home, LABEL)
    listed_issues = issues.read()
    declined = [
        i.body or "" for i in listed_issues if i.topic(LABEL) and i.state_reason == _DECLINED
    ]
    comparer = _CitedFileComparer(api)
    topics = []
    for name in checked_names:
        changes = [
            change
            for change in comparer.changes(files_by_platform[name])
            if not any(f"\n- {change.name}: " in body for body in declined)
        ]
        if changes:
            topics.append(_topic(catalog, name, changes))
    not_checked = files_by_platform.keys() - set(checked_names)
    # Without the closed issues, so that a change after an issue was closed opens a new one.
    open_issues = [issue for issue in listed_issues if issue.state == "open"]
    return issues.update_issues(topics, open_issues, lambda name: name in not_checked)


def _topic(catalog: Catalog, name: str, changes: Collection[CitedChange]) -> IssueTopic:
    platform = catalog.by_id.get(name)
    people = platform.accelerator.maintainers if platform else ()
    contact = ", ".join(code_span(person.github) for person in people)
    entries: list[str] = []
    unlisted = len(changes)
    for change in changes:
        entry = "\n".join(_change_item_lines(change))
        if sum(map(len, entries)) + len(entry) > _MOST_ENTRY_CHARACTERS:
            break
        entries.append(entry)
        unlisted -= 1
    if unlisted:
        entries.append(f"- {count(unlisted, 'more file')}")
    lines = [
        f"Facts of {code_span(name)} cite these files, which have changed since they were read.",
        "",
        *entries,
        "",
        "To update a fact, read the newer file, then change the fact and the commit in its source.",
        "Until then, the facts and their sources stay as they are.",
        "To keep what the facts cite, close this issue as not planned. These files are then",
        "reported again only after a source names another commit.",
        "",
        f"Contact: {contact or 'no maintainer listed'}.",
    ]
    title = f"{name}: cited files have changed"
    return IssueTopic(name, title, issue_text(LABEL, name, lines))


def _change_item_lines(change: CitedChange) -> Iterator[str]:
    shown_places = ", ".join(map(code_span, change.places[:_MOST_PLACES]))
    more = len(change.places) - _MOST_PLACES
    suffix = f" and {count(more, 'more place')}" if more > 0 else ""
    yield f"- {change.name}: cited in {shown_places}{suffix}"
    yield from (f"  - {sentence}" for sentence in change.words)


@dataclass(frozen=True)
class _CitedFileComparer:
    """Compares cited files with their current versions on GitHub; requests each file once."""

    api: Api
    _known: dict[tuple[str, str, str], _Contents | None] = field(default_factory=dict)

    def changes(self, cited: dict[CitedFile, Citations]) -> Iterator[CitedChange]:
        """Yield an item for each changed or removed file, and for each repository that is gone.

        If GitHub refuses the request for a file, the item states the error. Raises GitHubError for
        temporary errors.
        """
        gone_repositories: dict[str, list[str]] = {}
        for file, citations in sorted(cited.items(), key=lambda item: item[0]):
            if file.repository in gone_repositories:
                gone_repositories[file.repository] += citations.places
                continue
            location = f"{code_span(file.repository)}, {code_span(file.path)}"
            name = f"{location} at {code_span(file.commit)}"
            places = tuple(dict.fromkeys(citations.places))
            try:
                current_contents = self._contents(file.repository, file.path, "")
                if current_contents is None and not exists(self.api, f"repos/{file.repository}"):
                    gone_repositories[file.repository] = citations.places
                    continue
                sentences = tuple(self._change_sentences(file, current_contents, citations))
            except GitHubError as error:
                if error.passing:
                    raise
                sentences = (f"GitHub does not return the file: {code_span(str(error))}",)
            if sentences:
                yield CitedChange(name, places, sentences)
        for repository, citing_places in gone_repositories.items():
            sentences = ("The repository was deleted or is private. The facts keep their sources.",)
            yield CitedChange(code_span(repository), tuple(dict.fromkeys(citing_places)), sentences)

    def _change_sentences(
        self, file: CitedFile, current_contents: _Contents | None, citations: Citations
    ) -> Iterator[str]:
        if current_contents is None:
            yield "The default branch no longer has the file. The facts keep their source."
            return
        cited_contents = self._contents(file.repository, file.path, file.commit)
        if cited_contents is None:
            yield "GitHub no longer has the file at this commit. The facts keep their source."
            return
        differences = [*_differences(cited_contents.root, current_contents.root, citations.lines)]
        if differences:
            commit = newest_commit(self.api, file.repository, file.path)
            if commit:
                yield f"Newest commit: {code_span(commit.sha)} of {commit.day}"
        yield from differences

    def _contents(self, repository: str, path: str, ref: str) -> _Contents | None:
        """Return a file or folder at `ref` (empty: the default branch), or None if it is gone."""
        key = (repository, path, ref)
        if key not in self._known:
            api_path = f"repos/{repository}/contents/{quote(path)}{f'?ref={ref}' if ref else ''}"
            self._known[key] = none_if_missing(lambda: read_response(self.api, api_path, _Contents))
        return self._known[key]


def _differences(
    cited_contents: _FileResponse | tuple[_FolderEntry, ...],
    current_contents: _FileResponse | tuple[_FolderEntry, ...],
    cited_ranges: Collection[str | None],
) -> Iterator[str]:
    if isinstance(cited_contents, _FileResponse) and isinstance(current_contents, _FileResponse):
        if cited_contents.sha != current_contents.sha:
            yield from _text_differences(
                _text_lines(cited_contents), _text_lines(current_contents), cited_ranges
            )
    elif isinstance(cited_contents, tuple) and isinstance(current_contents, tuple):
        old_shas, new_shas = (
            {entry.name: entry.sha for entry in contents}
            for contents in (cited_contents, current_contents)
        )
        yield from _change_summary("Removed", [name for name in old_shas if name not in new_shas])
        yield from _change_summary("Added", [name for name in new_shas if name not in old_shas])
        yield from _change_summary(
            "Changed", [n for n in old_shas if n in new_shas and old_shas[n] != new_shas[n]]
        )
    else:
        kinds = [
            "a file" if isinstance(contents, _FileResponse) else "a folder"
            for contents in (cited_contents, current_contents)
        ]
        yield f"The path was {kinds[0]} and is now {kinds[1]}. The facts keep their source."


def _text_lines(file: _FileResponse) -> list[str] | None:
    """Return the lines of a file, or None if it is binary or too large for GitHub's API."""
    try:
        text = base64.b64decode(file.content).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    if file.encoding != "base64" or "\0" in text:
        return None
    # GitHub counts lines by line feeds only, `str.splitlines` also by form feeds and others.
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _text_differences(
    old_lines: list[str] | None, new_lines: list[str] | None, cited_ranges: Collection[str | None]
) -> Iterator[str]:
    if old_lines is None or new_lines is None:
        yield "The file changed. It is not text, or larger than 1 MB: compare it by hand."
        return
    compared_lines = old_lines
    if None not in cited_ranges:
        cited_parts = [
            _cited_lines(old_lines, line_range) for line_range in cited_ranges if line_range
        ]
        compared_lines = [
            line for part in cited_parts if not _contains_lines(new_lines, part) for line in part
        ]
        if not compared_lines:
            return
    compared, old, new = (
        Counter(_stripped_lines(lines)) for lines in (compared_lines, old_lines, new_lines)
    )
    yield from _change_summary("Removed", [*(compared - new).elements()])
    yield from _change_summary("Added", [*(new - old).elements()])


def _cited_lines(lines: list[str], line_range: str) -> list[str]:
    first, _, last = line_range.partition("-")
    return lines[int(first) - 1 : int(last or first)]


def _contains_lines(lines: list[str], part: list[str]) -> bool:
    text, part_text = ("\n".join(["", *block, ""]) for block in (lines, part))
    return part_text in text


def _stripped_lines(lines: Iterable[str]) -> list[str]:
    return [stripped for line in lines if (stripped := line.strip())]


def _change_summary(heading: str, items: Collection[str]) -> Iterator[str]:
    if items:
        shown = ", ".join(
            code_span(item[:_MOST_LINE_CHARACTERS]) for item in list(items)[:_MOST_LINES]
        )
        more = len(items) - _MOST_LINES
        yield f"{heading}: {shown}{f' and {more} more' if more > 0 else ''}"
