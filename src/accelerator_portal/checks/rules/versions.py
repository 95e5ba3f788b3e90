"""Checks versions and dates: their order, their age, and whether they fit together."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from typing import get_args

from packaging.version import Version
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.fields import version_or_none
from accelerator_portal.catalog.files.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.files.releases_file import Build, BuildKind
from accelerator_portal.catalog.files.sources import Source
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.limits import lower_bound
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.packages.plugin_releases import new_releases


@rule()
def release_order(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """`data/releases.yaml` lists each release and build once, newest first."""
    releases = catalog.releases.releases
    for place in range(1, len(releases)):
        before, here = releases[place - 1].version, releases[place].version
        if Version(before) <= Version(here):
            what = f"{here} is listed below {before}"
            location = ("releases", place, "version")
            yield catalog.problem(RELEASES, location, what, "list newest versions first")
    preview = catalog.releases.preview
    yield from _doubled_builds(catalog, preview.wheels, ("preview", "wheels"))
    for place, release in enumerate(releases):
        for kind in get_args(BuildKind):
            yield from _doubled_builds(catalog, release.builds(kind), ("releases", place, kind))


def _doubled_builds(
    catalog: Catalog, builds: tuple[Build, ...], location: Location
) -> Iterator[Problem]:
    seen: set[tuple[str, ...]] = set()
    for place, build in enumerate(builds):
        for arch in build.arch:
            if (build.variant, build.os, arch) in seen:
                what = f"{build.variant} for {build.os} {arch} is listed twice"
                at = (*location, place)
                yield catalog.problem(RELEASES, at, what, "remove one of the two")
            seen.add((build.variant, build.os, arch))


_NUMBERED = re.compile(r"(.*?[a-z-])(\d+(?:\.\d+)+)")


@rule()
def row_order(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Versions are sorted newest first, in PEP 440 order: 7.14 is newer than 7.2.

    Entries in `compatibility.yaml` are sorted by PyTorch version. Variants in `install.yaml` whose
    IDs differ only in the number at the end, such as rocm7.14 and rocm7.2, are sorted by that
    number. Pages show the first entry as the newest.
    """
    for platform in catalog.platforms:
        yield from _row_order_problems(platform)
        yield from _variant_order_problems(platform)


def _row_order_problems(platform: Platform) -> Iterator[Problem]:
    rows = platform.compatibility.rows
    for place in range(1, len(rows)):
        before, here = rows[place - 1].torch, rows[place].torch
        if Version(before) < Version(here):
            what = f'torch "{here}" is listed below {before}'
            location = ("rows", place, "torch")
            yield platform.problem(
                "compatibility.yaml", location, what, "list newest versions first"
            )


def _variant_order_problems(platform: Platform) -> Iterator[Problem]:
    newest: dict[str, str] = {}
    for place, variant in enumerate(platform.install.variants):
        numbered = _NUMBERED.fullmatch(variant.id)
        if not numbered:
            continue
        family, number = numbered.groups()
        before = newest.setdefault(family, number)
        if Version(before) < Version(number):
            what = f'"{variant.id}" is listed below {family}{before}'
            location = ("variants", place, "id")
            yield platform.problem("install.yaml", location, what, "list newest versions first")
        newest[family] = number


_SHARED_NUMBERS_TEXT = {"minor": "first two numbers", "release": "first three numbers"}


@rule()
def version_pattern(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Rows of `compatibility.yaml` follow the `version_pattern` that the file declares.

    A vendor's document may state that plugin and PyTorch share the first two or three numbers of
    their versions. If the numbers of a row differ, correct the wrong version. If the pattern
    doesn't apply to old releases, set `since` to the first PyTorch release to which it applies.
    """
    for platform in catalog.platforms:
        pattern = platform.compatibility.version_pattern
        for place, row in enumerate(platform.compatibility.rows if pattern else ()):
            if pattern and row.plugin and not pattern.admits(row.plugin, row.torch):
                what = (
                    f'plugin "{row.plugin}" and torch "{row.torch}" differ in the '
                    f"{_SHARED_NUMBERS_TEXT[pattern.same]} of the version, but version_pattern "
                    f"says that they are the same ({', '.join(pattern.source)})"
                )
                remedy = "correct the row, or limit the pattern with since"
                location = ("rows", place, "plugin")
                yield platform.problem("compatibility.yaml", location, what, remedy)


@rule()
def version_conflicts(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No two entries in `compatibility.yaml` are for the same versions, unless a note explains why.

    Two entries are compared if they have the same PyTorch version, plugin version and variant. The
    note says which source states which value.
    """
    for platform in catalog.platforms:
        first: dict[tuple[str | None, ...], CompatibilityRow] = {}
        for place, row in enumerate(platform.compatibility.rows):
            key = (row.torch, row.plugin, row.variant)
            other = first.setdefault(key, row)
            if other is not row and not (row.note or other.note):
                what = _conflict_text(row, other)
                remedy = (
                    "merge the entries, or add a note that says which source states which value"
                )
                yield platform.problem("compatibility.yaml", ("rows", place, "torch"), what, remedy)


def _conflict_text(row: CompatibilityRow, other: CompatibilityRow) -> str:
    named = f"torch {row.torch}" + (f", plugin {row.plugin}" if row.plugin else "")
    differing = [
        f"{what} {theirs} and {mine}"
        for what, mine, theirs in _compared_versions(row, other)
        if mine is not None and theirs is not None and mine != theirs
    ]
    if not differing:
        return f"there are two entries for {named}"
    return f"the entries for {named} contradict each other: {'; '.join(differing)}"


def _compared_versions(
    row: CompatibilityRow, other: CompatibilityRow
) -> Iterator[tuple[str, str | None, str | None]]:
    for name, version in row.needs.items():
        yield f"needs {name}", version, other.needs.get(name)
    for name, version in row.includes.items():
        yield f"includes {name}", version, other.includes.get(name)
    yield "Python", _python_list(row), _python_list(other)
    yield "status", _lifecycle_text(row), _lifecycle_text(other)


def _python_list(row: CompatibilityRow) -> str | None:
    return ", ".join(sorted(row.python, key=_python_sort_key)) if row.python else None


def _python_sort_key(version: str) -> tuple[Version, bool]:
    return Version(version.removesuffix("t")), version.endswith("t")


def _lifecycle_text(row: CompatibilityRow) -> str | None:
    return f"{row.lifecycle.status} until {row.lifecycle.until}" if row.lifecycle else None


@rule(level="warning")
def unknown_releases(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """PyTorch releases in `compatibility.yaml` are listed in `data/releases.yaml`.

    The site generates commands only for listed releases. The rule doesn't check releases that are
    older than all listed ones.
    """
    known = catalog.releases.by_version
    oldest, newest = min(known, key=Version), max(known, key=Version)
    for platform in catalog.platforms:
        for place, row in enumerate(platform.compatibility.rows):
            if row.torch in known or Version(row.torch) < Version(oldest):
                continue
            what = f'{RELEASES} has no release "{row.torch}", so this entry has no install command'
            remedy = did_you_mean(row.torch, known)
            if Version(row.torch) > Version(newest):
                remedy = f"correct the entry; the newest listed release is {newest}"
            yield platform.problem("compatibility.yaml", ("rows", place, "torch"), what, remedy)


@rule(level="warning")
def unlisted_releases(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each new plugin release has a row in `compatibility.yaml`, and the newest row has a command.

    Readers must not miss a release that was published weeks ago. The rule checks the final releases
    on the platform's index that are newer than the oldest row. The command `accelerator-portal
    plugin-release` writes the row. If an install option lists its PyTorch releases one by one, the
    row alone is not enough: the newest row then has no install command.
    """
    commands = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from _releases_without_row(catalog, platform)
        builds = {row.build for row in commands[platform.id]}
        yield from _newest_row_without_command(platform, builds, catalog.releases.by_version)


def _releases_without_row(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    for release in new_releases(catalog, platform):
        what = f"no row lists {release.name}, which the package index has"
        command = f"accelerator-portal plugin-release {platform.id} {release.facts.version}"
        yield platform.problem("compatibility.yaml", ("rows",), what, f"run {command}")


def _newest_row_without_command(
    platform: Platform, builds: set[str], known_releases: Container[str]
) -> Iterator[Problem]:
    # The rule unknown-releases reports rows for other releases.
    rows = [
        row_text
        for row_text in platform.compatibility.rows
        if row_text.plugin and row_text.torch in known_releases
    ]
    if rows and builds and rows[0].torch not in builds:
        newest = rows[0]
        row_text = f"the newest row (plugin {newest.plugin})"
        what = f"no install option installs torch {newest.torch}, which {row_text} lists"
        remedy = "add the release to an option, or use `compatibility: true`"
        yield platform.problem("install.yaml", ("options",), what, remedy)


@rule(level="warning")
def minors_behind(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """A platform's release lag is within the limit in `data/criteria.yaml`.

    The release lag is the number of minor releases between the newest PyTorch and the newest one
    that the platform supports. PyTorch's Additional Platforms page accepts platforms that are at
    most three minor releases behind. The site shows the lag of every platform; this warning reminds
    its maintainers.
    """
    max_behind = catalog.criteria.most_minors_behind if catalog.criteria else None
    for platform in catalog.platforms:
        followed = supported_releases(catalog, platform)
        if max_behind is not None and followed.behind is not None and followed.behind > max_behind:
            newest = catalog.releases.newest.version
            what = (
                f'the newest torch is "{followed.newest}", {followed.behind} minor releases '
                f"behind {newest}; {max_behind} are allowed"
            )
            file = "install.yaml" if followed.has_command else "compatibility.yaml"
            location = ("options",) if followed.has_command else ("rows",)
            remedy = "add newer versions, or add the reason to data/exceptions.yaml"
            yield platform.problem(file, location, what, remedy)


@rule(level="warning")
def ended_lifecycle(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """The newest versions in `compatibility.yaml` are still maintained.

    Commands install these versions. The rule checks whether the `lifecycle` of the newest entry of
    each variant has ended. Older entries are not checked.
    """
    for platform in catalog.platforms:
        seen: set[str | None] = set()
        for place, row in enumerate(platform.compatibility.rows):
            if row.variant in seen:
                continue
            seen.add(row.variant)
            cycle = row.lifecycle
            if cycle and cycle.until and cycle.until < today:
                location = ("rows", place, "lifecycle", "until")
                what = f'the newest entry\'s lifecycle "{cycle.status}" ended on {cycle.until}'
                remedy = "update the lifecycle, or add a newer entry"
                yield platform.problem("compatibility.yaml", location, what, remedy)


@rule()
def future_dates(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Dates on which sources were read are not in the future.

    The site calculates the age of facts from `read` in `sources`. A future date is usually
    mistyped.
    """
    for path, file in catalog.files.items():
        declared = file.data.get("sources") if isinstance(file.data, Mapping) else None
        if isinstance(declared, Mapping):
            lines = {name: file.line(("sources", name, "read")) for name in declared}
            yield from _future_read_dates(path, _valid_sources(declared), lines, today)
    for text in catalog.texts:
        yield from _future_read_dates(text.path, text.sources, text.source_lines, today)


def _valid_sources(declared: Mapping[str, object]) -> dict[str, Source]:
    """Return the valid sources by id. The problems of invalid sources are reported elsewhere."""
    found: dict[str, Source] = {}
    for name, item in declared.items():
        with suppress(ValidationError):
            found[name] = Source.model_validate(item)
    return found


def _future_read_dates(
    path: str, sources: Mapping[str, Source], lines: Mapping[str, int], today: dt.date
) -> Iterator[Problem]:
    for name, source in sources.items():
        if source.read > today:
            what = f"the date {source.read} is in the future (today is {today} in UTC)"
            yield Problem(path, lines[name], what, "use the date on which you read the source")


_VERSION_NUMBER = r"v?(\d+(?:\.\w+)*)"
_MINIMUM_BEFORE = rf"\s*(?:version\s+)?(?:>=|≥|at least|from)\s*{_VERSION_NUMBER}"
_OR_NEWER = r"(?:\+|or (?:newer|later|higher|above)|and (?:newer|later))"
_MINIMUM_AFTER = rf"\s*(?:version\s+)?{_VERSION_NUMBER}\s*{_OR_NEWER}"


@rule(level="warning")
def guide_versions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Guides and FAQs name no versions older than `compatibility.yaml` requires.

    For example, a guide says "CANN 8.0 or newer", but every entry in `compatibility.yaml` requires
    CANN 9.1. Readers would install a version that doesn't work. The rule compares only software
    that has the same name in the guide and in `needs` of `compatibility.yaml`.
    """
    for platform in catalog.platforms:
        for name, oldest in _oldest_needed_versions(platform).items():
            pattern = re.compile(
                rf"(?<![\w-]){re.escape(name)}(?:{_MINIMUM_BEFORE}|{_MINIMUM_AFTER})", re.IGNORECASE
            )
            for file in (platform.guide, platform.faq):
                yield from _outdated_mentions(file, name, oldest, pattern)


def _oldest_needed_versions(platform: Platform) -> dict[str, Version]:
    """Return the oldest version of each software that a row of `compatibility.yaml` needs."""
    found: dict[str, Version] = {}
    for row in platform.compatibility.rows:
        for name, text in row.needs.items():
            if bound := lower_bound(text):
                found[name] = min(bound, found.get(name, bound))
    return found


def _outdated_mentions(
    file: MarkdownFile, name: str, oldest: Version, pattern: re.Pattern[str]
) -> Iterator[Problem]:
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            for match in pattern.finditer(line):
                written = match[1] or match[2]
                version = version_or_none(written)
                if version is not None and version < oldest:
                    what = f'{name} "{written}" is older than compatibility.yaml requires'
                    yield Problem(file.path, number, what, f"use {oldest} or newer")
