"""Reads what pytorch.org publishes of its additional platforms and its selector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.catalog.git import git
from accelerator_portal.http import RequestLimits
from accelerator_portal.install.additional_platforms import (
    AdditionalPlatform,
    read_additional_platforms,
    read_json,
)
from accelerator_portal.releases.upstream_builds import (
    UpstreamListError,
    UpstreamNote,
    read_notes,
    read_source,
)
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.text_file import read_text

PLATFORM_FILES = "_additional_platforms"
PLATFORM_PAGES = "_get_started/additional_platforms"
PUBLISHED_VERSIONS = "published_versions.json"


@dataclass(frozen=True, slots=True)
class UpstreamListing:
    """What pytorch.org publishes.

    `version` says in words which version was read. `platforms` and `pages` are by id. `notes` are
    those of pytorch.org's own selector. A downloaded file has no notes, and its pages are HTML
    instead of Markdown (`has_markdown`).
    """

    version: str
    platforms: Mapping[str, AdditionalPlatform]
    pages: Mapping[str, str]
    notes: tuple[UpstreamNote, ...] = ()
    has_markdown: bool = True


def read_upstream(place: Path) -> tuple[UpstreamListing | None, list[Problem]]:
    """Return what pytorch.org publishes, and the problems of its files.

    `place` is a checkout of `pytorch/pytorch.github.io`, or a downloaded
    `additional-platforms.json`. The listing is None if there are problems.
    """
    if place.is_dir():
        return _read_checkout(place)
    data, problems = read_additional_platforms(place.parent, place.name)
    if data is None or problems:
        return None, problems
    version = f"{place.name} of {data.generated_at or 'an unknown day'}"
    return UpstreamListing(version, data.platforms, data.html, has_markdown=False), []


def _read_checkout(root: Path) -> tuple[UpstreamListing | None, list[Problem]]:
    names = sorted(file.stem for file in (root / PLATFORM_FILES).glob("*.json"))
    if not names:
        remedy = "pass a checkout of pytorch/pytorch.github.io, branch site"
        return None, [Problem(str(root), 1, f"it has no {PLATFORM_FILES}/*.json", remedy)]
    problems: list[Problem] = []
    platforms: dict[str, AdditionalPlatform] = {}
    pages: dict[str, str] = {}
    for name in names:
        entry, entry_problems = read_json(root, f"{PLATFORM_FILES}/{name}.json", AdditionalPlatform)
        problems += entry_problems
        if entry:
            platforms[name] = entry
        page = f"{PLATFORM_PAGES}/{name}.md"
        text = read_text(root, page) if (root / page).exists() else ""
        if isinstance(text, Problem):
            problems.append(text)
        else:
            pages[name] = text
    notes: tuple[UpstreamNote, ...] = ()
    if (root / PUBLISHED_VERSIONS).exists():
        try:
            notes = read_notes(read_source(str(root / PUBLISHED_VERSIONS), RequestLimits()))
        except UpstreamListError as error:
            what, _, remedy = str(error).rpartition(". ")
            problems.append(Problem(PUBLISHED_VERSIONS, 1, what, remedy))
    if problems:
        return None, problems
    # Git would answer for a repository above the folder, too.
    commit = git(root, "rev-parse", "HEAD").strip() if (root / ".git").exists() else ""
    version = f"commit {commit}" if commit else "a folder without a commit"
    return UpstreamListing(version, platforms, pages, notes), []
