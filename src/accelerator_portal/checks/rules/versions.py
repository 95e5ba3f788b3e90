"""Checks versions and dates in vendors' files and shared data: order, age and consistency."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import get_args

from packaging.version import Version
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.files.releases_file import Build, BuildKind
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.hardware_limits import lower_bound
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.packages.plugin_releases import new_releases
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.files.sources import Source
from accelerator_reports.files.yaml_file import Location

_NUMBERED_VARIANT = re.compile(r"(.*?[a-z-])(\d+(?:\.\d+)+)")
_SHARED_NUMBERS_TEXT = {"minor": "first two numbers", "release": "first three numbers"}

# Minimum versions in a guide, before or after the number: `>= 8.0`, `8.0 or newer`.
_VERSION_NUMBER = r"v?(\d+(?:\.\w+)*)"
_MINIMUM_BEFORE = rf"\s*(?:version\s+)?(?:>=|≥|at least|from)\s*{_VERSION_NUMBER}"
_OR_NEWER = r"(?:\+|or (?:newer|later|higher|above)|and (?:newer|later))"
_MINIMUM_AFTER = rf"\s*(?:version\s+)?{_VERSION_NUMBER}\s*{_OR_NEWER}"


@rule()
def release_order(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """`data/releases.yaml` lists each release and build once, newest first."""
    releases = catalog.releases.releases
    for release_index, (previous, release) in enumerate(pairwise(releases), 1):
        if Version(previous.version) <= Version(release.version):
            what = f"{release.version} is listed below {previous.version}"
            location = ("releases", release_index, "version")
            yield catalog.problem(RELEASES, location, what, "list newest versions first")
    preview = catalog.releases.preview
    yield from _duplicate_builds(catalog, preview.wheels, ("preview", "wheels"))
    for release_index, release in enumerate(releases):
        for kind in get_args(BuildKind):
            yield from _duplicate_builds(
                catalog, release.builds(kind), ("releases", release_index, kind)
            )


def _duplicate_builds(
    catalog: Catalog, builds: tuple[Build, ...], location: Location
) -> Iterator[Problem]:
    seen: set[tuple[str, ...]] = set()
    for build_index, build in enumerate(builds):
        for arch in build.arch:
            if (build.variant, build.os, arch) in seen:
                what = f"{build.variant} for {build.os} {arch} is listed twice"
                build_location = (*location, build_index)
                yield catalog.problem(RELEASES, build_location, what, "remove one of the two")
            seen.add((build.variant, build.os, arch))


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
    for previous, row in pairwise(platform.compatibility.rows):
        if Version(previous.torch) < Version(row.torch):
            what = f'torch "{row.torch}" is listed below {previous.torch}'
            yield platform.record_problem(row, "torch", what, "list newest versions first")


def _variant_order_problems(platform: Platform) -> Iterator[Problem]:
    newest: dict[str, str] = {}
    for variant in platform.install.variants:
        match = _NUMBERED_VARIANT.fullmatch(variant.id)
        if not match:
            continue
        family, number = match.groups()
        previous_version = newest.setdefault(family, number)
        if Version(previous_version) < Version(number):
            what = f'"{variant.id}" is listed below {family}{previous_version}'
            yield platform.record_problem(variant, "id", what, "list newest versions first")
        newest[family] = number


@rule()
def version_pattern(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Rows of `compatibility.yaml` follow the `version_pattern` that the file declares.

    A vendor's document may state that plugin and PyTorch share the first two or three numbers of
    their versions. If the numbers of a row differ, correct the wrong version. If the pattern
    doesn't apply to old releases, set `since` to the first PyTorch release to which it applies.
    """
    for platform in catalog.platforms:
        pattern = platform.compatibility.version_pattern
        for row in platform.compatibility.rows if pattern else ():
            if pattern and row.plugin and not pattern.admits(row.plugin, row.torch):
                what = (
                    f'plugin "{row.plugin}" and torch "{row.torch}" differ in the '
                    f"{_SHARED_NUMBERS_TEXT[pattern.same]} of the version, but version_pattern "
                    f"says that they are the same ({', '.join(pattern.source)})"
                )
                remedy = "correct the row, or limit the pattern with since"
                yield platform.record_problem(row, "plugin", what, remedy)


@rule()
def version_conflicts(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No two entries in `compatibility.yaml` are for the same versions, unless a note explains why.

    Two entries are compared if they have the same PyTorch version, plugin version and variant. The
    note says which source states which value.
    """
    for platform in catalog.platforms:
        first_rows: dict[tuple[str | None, ...], CompatibilityRow] = {}
        for row in platform.compatibility.rows:
            key = (row.torch, row.plugin, row.variant)
            other = first_rows.setdefault(key, row)
            if other is not row and not (row.note or other.note):
                what = _conflict_text(row, other)
                remedy = (
                    "merge the entries, or add a note that says which source states which value"
                )
                yield platform.record_problem(row, "torch", what, remedy)


def _conflict_text(row: CompatibilityRow, other: CompatibilityRow) -> str:
    versions_text = f"torch {row.torch}" + (f", plugin {row.plugin}" if row.plugin else "")
    differing = [
        f"{label} {other_value} and {value}"
        for label, value, other_value in _compared_versions(row, other)
        if value is not None and other_value is not None and value != other_value
    ]
    if not differing:
        return f"there are two entries for {versions_text}"
    return f"the entries for {versions_text} contradict each other: {'; '.join(differing)}"


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
    releases = catalog.releases.by_version
    oldest, newest = min(releases, key=Version), catalog.releases.newest.version
    for platform in catalog.platforms:
        for row in platform.compatibility.rows:
            if row.torch in releases or Version(row.torch) < Version(oldest):
                continue
            what = f'{RELEASES} has no release "{row.torch}", so this entry has no install command'
            remedy = did_you_mean(row.torch, releases)
            if Version(row.torch) > Version(newest):
                remedy = f"correct the entry; the newest listed release is {newest}"
            yield platform.record_problem(row, "torch", what, remedy)


@rule(level="warning")
def unlisted_releases(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each new plugin release has a row in `compatibility.yaml`, and the newest row has a command.

    Readers must not miss a release that was published weeks ago. The rule checks the final releases
    on the platform's package index that are newer than the oldest row. The command
    `accelerator-portal plugin-release` adds a missing row. An install option that lists its PyTorch
    releases one by one must also list the new row's release. Otherwise, this row has no command.
    """
    install_rows = rows_by_platform(catalog)
    for platform in catalog.platforms:
        yield from _releases_without_row(catalog, platform)
        builds = {row.build for row in install_rows[platform.id]}
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
        row for row in platform.compatibility.rows if row.plugin and row.torch in known_releases
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
    if max_behind is None:
        return
    for platform in catalog.platforms:
        supported = supported_releases(catalog, platform)
        if supported.behind is not None and supported.behind > max_behind:
            newest = catalog.releases.newest.version
            what = (
                f'the newest torch is "{supported.newest}", {supported.behind} minor releases '
                f"behind {newest}; {max_behind} are allowed"
            )
            file = "install.yaml" if supported.has_command else "compatibility.yaml"
            location = ("options",) if supported.has_command else ("rows",)
            remedy = "add newer versions, or add the reason to data/exceptions.yaml"
            yield platform.problem(file, location, what, remedy)


@rule(level="warning")
def ended_lifecycle(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """If the end of a `lifecycle` has passed, a source of the entry was read after it.

    The end is what the vendor expected. Whether it was kept, only a later look at a source shows.
    """
    for platform in catalog.platforms:
        sources = platform.compatibility.sources
        for row in platform.compatibility.rows:
            cycle = row.lifecycle
            if cycle is None or cycle.until is None or cycle.until >= today:
                continue
            last_read = max(sources[name].read for name in row.source)
            if last_read <= cycle.until:
                what = (
                    f'the lifecycle "{cycle.status}" was expected to end on {cycle.until}, '
                    f"and no source of the entry was read after {last_read}"
                )
                remedy = "read the sources again, and update the lifecycle and the dates"
                yield platform.record_problem(cycle, "until", what, remedy)


@rule()
def future_dates(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Dates on which sources were read are not in the future.

    The site calculates the age of facts from `read` in `sources`. A future date is usually
    mistyped. The next day is allowed, because the current day depends on the time zone.
    """
    for path, file in catalog.files.items():
        declared = file.data.get("sources") if isinstance(file.data, Mapping) else None
        if isinstance(declared, Mapping):
            lines = {name: file.line(("sources", name, "read")) for name in declared}
            yield from _future_read_dates(path, _valid_sources(declared), lines, today)
    for text in catalog.texts:
        yield from _future_read_dates(text.path, text.sources, text.source_lines, today)


def _valid_sources(declared: Mapping[str, object]) -> dict[str, Source]:
    """Return the sources of `declared` by id, without those that are invalid.

    `declared` maps the ids of sources to their unchecked content.
    """
    sources: dict[str, Source] = {}
    for name, item in declared.items():
        with suppress(ValidationError):
            sources[name] = Source.model_validate(item)
    return sources


def _future_read_dates(
    path: str, sources: Mapping[str, Source], lines: Mapping[str, int], today: dt.date
) -> Iterator[Problem]:
    for name, source in sources.items():
        if source.read > today + dt.timedelta(days=1):  # east of UTC, it can be the next day
            what = f"the date {source.read} is in the future (today is {today} in UTC)"
            yield Problem(path, lines[name], what, "use the date on which you read the source")


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
    """Return, by software name, the lowest version that a row of `compatibility.yaml` needs."""
    oldest_versions: dict[str, Version] = {}
    for row in platform.compatibility.rows:
        for name, text in row.needs.items():
            if bound := lower_bound(text):
                oldest_versions[name] = min(bound, oldest_versions.get(name, bound))
    return oldest_versions


def _outdated_mentions(
    file: MarkdownFile, name: str, oldest: Version, pattern: re.Pattern[str]
) -> Iterator[Problem]:
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            for match in pattern.finditer(line):
                version_text = match[1] or match[2]
                version = version_or_none(version_text)
                if version is not None and version < oldest:
                    what = f'{name} "{version_text}" is older than compatibility.yaml requires'
                    yield Problem(file.path, number, what, f"use {oldest} or newer")
