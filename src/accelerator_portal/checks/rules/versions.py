"""Checks versions and dates in vendors' files, in shared data and in install commands."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import get_args

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PACKAGES, PYPI, ReleaseFacts
from accelerator_portal.catalog.files.versions_file import Build, BuildKind, CompatibilityRow
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import expand, rows_by_platform
from accelerator_portal.install.hardware_support import lower_bound
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.packages.fitting_releases import (
    admits,
    fill_versions,
    newest_version,
    torch_requirements,
    usable_releases,
)
from accelerator_portal.packages.plugin_releases import new_releases
from accelerator_portal.packages.portal_packages import TORCH, TORCHVISION, release_line_number
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


# Checks that commands install companions of torch, such as torchvision, in fitting versions.

_PYTORCH_BUILD = re.compile(r"cpu|xpu|cu\d+|rocm\d+(?:\.\d+)*")


@rule()
def companions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Commands pin torchvision, torchaudio and other companions to versions that support torch.

    Companions contain libraries that are built for certain torch releases, and not every wheel
    declares the torch that it needs. An unpinned torchaudio next to `torch==2.9.0` installs the
    newest torchaudio, whose library cannot be loaded with this torch. `data/releases.yaml` lists
    the matching versions. Versions with a vendor's own suffix, such as `+metax3.8.1.0`, are not
    compared.
    """
    problems: dict[Problem, None] = {}
    companions_of = cache(catalog.releases.companions_of)  # there are fewer releases than rows
    for row in expand(catalog)[0]:
        if row.build == PREVIEW:
            continue
        requirements = _row_requirements(row)
        if not any(r.name == "torch" and _pinned_version(r) for r in requirements):
            continue
        versions_by_package = companions_of(row.build)
        for requirement in requirements:
            if fault := _companion_fault(requirement, versions_by_package, row.build):
                problems[catalog.by_id[row.platform].option_problem(row.option, *fault)] = None
    yield from problems


@rule(level="warning")
def unpinned_packages(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """If a command for a PyTorch release pins a package, it states a version of each package.

    Without one, the command installs another version next month, which nobody has tried. A bound
    such as `numpy<2` is enough.
    """
    unpinned: dict[tuple[str, str], dict[str, None]] = {}
    for row in expand(catalog)[0]:
        requirements = _row_requirements(row)
        if row.build != PREVIEW and any(map(_pinned_version, requirements)):
            companions = catalog.releases.companions_of(row.build)  # they have a rule of their own
            open_requirements = (r for r in requirements if not (r.specifier or r.url))
            names = (
                r.name for r in open_requirements if canonicalize_name(r.name) not in companions
            )
            unpinned.setdefault((row.platform, row.option), {}).update(dict.fromkeys(names))
    for (platform, option), option_names in unpinned.items():
        if option_names:
            what = f"the command states no version of {', '.join(option_names)}"
            remedy = "add the version that was tried, such as name==1.0"
            yield catalog.by_id[platform].option_problem(option, what, remedy)


def _row_requirements(row: InstallRow) -> list[Requirement]:
    """Return the pip requirements in the commands of `row`, such as `torch==2.9.0`."""
    requirements = []
    for package in (package for call in row.calls for package in call.packages):
        with suppress(InvalidRequirement):  # reading the file reports it
            requirements.append(Requirement(package))
    return requirements


def _pinned_version(requirement: Requirement) -> Version | None:
    exact = [s.version for s in requirement.specifier if s.operator in {"==", "==="}]
    return version_or_none(exact[0]) if exact else None


def _companion_fault(
    requirement: Requirement, versions_by_package: Mapping[str, tuple[str, ...]], torch: str
) -> tuple[str, str] | None:
    """Return what is wrong with a requirement, and the fix; None if it fits the torch release.

    `versions_by_package` contains the versions that support the torch release `torch`, by package
    name.
    """
    name = canonicalize_name(requirement.name)
    if name not in versions_by_package:
        return None
    pin, versions = _pinned_version(requirement), versions_by_package[name]
    if pin and pin.local and not _PYTORCH_BUILD.fullmatch(pin.local):
        return None
    if pin and pin.base_version in versions:
        return None
    remedy = (
        f"write {name}=={versions[0]}, or leave {name} out" if versions else f"leave {name} out"
    )
    if pin is None:
        return f'"{requirement}" next to torch=={torch} is not pinned to a version', remedy
    listing = f"{RELEASES} lists {' and '.join(versions) or 'no version'} for torch {torch}"
    return f'"{requirement}" does not support torch {torch}: {listing}', remedy


# Compares versions that texts and `data/releases.yaml` call the newest with package facts.

_ANY_PLACEHOLDER = re.compile(r"\{newest:[^{}\s]{0,80}\}?")
_VERSION = r"v?(?P<version>\d+(?:\.\w+)+)"
# `the newest release is 2.11.0`, `torch_xla 2.9.0 is the last release.`
_CLAIM = re.compile(
    rf"\b(?:newest|latest|last)(?:\s+(?P<subject>[\w-]+))?(?:\s+so\s+far)?(?:,|:|\s+is|\s+was)\s+"
    rf"{_VERSION}|(?:(?P<name>[\w-]+)\s+)?{_VERSION.replace('version', 'other')}\s+is\s+the\s+"
    r"(?:newest|latest|last)(?:\s+(?:release|version))?(?=\s+so\s+far|[.,:;)]|$)"
)
_PLUGIN_NAME = re.compile(r"(?<![\w./@-])torch[\w-]+", re.IGNORECASE)
_TORCH_PIN = re.compile(r"(?<![\w-])torch==\d[\w.]*")
_PIN = re.compile(r"([\w-]+)==([\w.]+)")


@rule()
def version_placeholders(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Placeholders such as `{newest:torchaudio}` in guides and answers name a known package.

    The site shows the newest version in their place. `{newest:torch+cpu+cu126}` is the newest
    PyTorch release that has both builds.
    """
    for path, line, text in _texts(catalog):
        for found in _ANY_PLACEHOLDER.finditer(text):
            if fill_versions(catalog, found[0]) == found[0]:
                what = f'no version is known for the placeholder "{found[0]}"'
                remedy = "name a package of data/packages, as in {newest:torchaudio}"
                yield Problem(path, line + text.count("\n", 0, found.start()), what, remedy)


def _texts(catalog: Catalog) -> Iterator[tuple[str, int, str]]:
    """Yield each section of guides and answers, and each text of a YAML file, with its line."""
    for path, yaml_file in catalog.files.items():
        for location, value in yaml_file.values():
            if isinstance(value, str):
                yield path, yaml_file.line(location), value
    for file in (*catalog.texts, *catalog.translations):
        for section in file.sections:
            yield file.path, section.text_line, section.text


@rule(level="warning")
def newest_versions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """What is called the newest version is the newest one that `data/packages/` has.

    The rule checks the companions of torch and the newest release in `data/releases.yaml`,
    sentences such as "the newest release is 2.11.0" in guides, answers and notes, and examples that
    pin torch. A text can write `{newest:torchaudio}` instead of the version.
    """
    yield from _unlisted_versions(catalog)
    for path, yaml_file in catalog.files.items():
        for location, value in yaml_file.values():
            if isinstance(value, str):
                for _, what, remedy in _outdated_claims(catalog, value, {}):
                    yield Problem(path, yaml_file.line(location), what, remedy)
    own_texts = {p.path(name) for p in catalog.platforms if p.in_tree for name in _TEXT_FILES}
    for file in catalog.texts:
        yield from _text_problems(catalog, file)
        if file.path in own_texts or file is catalog.faq:
            yield from _outdated_pins(catalog, file)


_TEXT_FILES = ("guide.md", "faq.md")


def _unlisted_versions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each release on PyPI that `data/releases.yaml` should list.

    For torchvision, only the version for the newest torch is compared, because older releases
    keep the torchvision that was released with them.
    """
    releases = catalog.releases
    first_index = {c.package: n for n, c in reversed([*enumerate(releases.companions)])}
    for package in (TORCH, TORCHVISION, *first_index):
        facts = catalog.packages.get(package)
        on_pypi = facts.on(PYPI) if facts else None
        for release in usable_releases(on_pypi.releases) if on_pypi else ():
            if facts is None or not _is_unlisted(catalog, package, release):
                continue
            line = release_line_number(facts, PYPI, release.version)
            what = f"PyPI has {package} {release.version} ({PACKAGES}/{package}.json:{line})"
            remedy = f"add a row for {package} {release.version}, with its source"
            if package == TORCH:
                remedy = f"run accelerator-portal release add {release.version}"
            elif package == TORCHVISION:
                remedy = f"write {release.version}, with its source"
            location = ("companions", first_index[package]) if package in first_index else None
            newest = ("releases", releases.releases.index(releases.newest))
            yield catalog.problem(RELEASES, location or newest, what, remedy)


def _is_unlisted(catalog: Catalog, package: str, release: ReleaseFacts) -> bool:
    """Return whether a release is newer than what is listed for a torch that it supports.

    Metadata that names no torch says nothing about older versions of torch.
    """
    newest = catalog.releases.newest.version
    if package == TORCH:
        return Version(release.version) > Version(newest)
    stated = torch_requirements(release).values()
    older = () if package == TORCHVISION or not stated else catalog.releases.by_version
    return any(
        Version(release.version) > max(map(Version, listed))
        for torch in (newest, *older)
        if all(admits(line, torch) for line in stated)
        and (listed := catalog.releases.companions_of(torch).get(package))
    )


def _text_problems(catalog: Catalog, file: MarkdownFile) -> Iterator[Problem]:
    for name, source in file.sources.items():
        for _, what, remedy in _outdated_claims(catalog, source.title, {}):
            yield Problem(file.path, file.source_lines[name], what, remedy)
    for section in file.sections:
        for start, what, remedy in _outdated_claims(catalog, section.text, file.sources):
            line = section.text_line + section.text.count("\n", 0, start)
            yield Problem(file.path, line, what, remedy)


def _outdated_pins(catalog: Catalog, file: MarkdownFile) -> Iterator[Problem]:
    for block in file.code:
        for line, text in enumerate(block.text.splitlines(), block.line):
            for pin in _TORCH_PIN.findall(text):
                remedy = "write torch=={newest:torch}, or name builds as in {newest:torch+cpu}"
                yield Problem(file.path, line, f'the example pins "{pin}"', remedy)
    companions = catalog.releases.companions_of(catalog.releases.newest.version)
    for span in file.spans:
        pinned = _PIN.fullmatch(span.text)
        if pinned and companions.get(pinned[1]) and pinned[2] != companions[pinned[1]][0]:
            what = f'"{span.text}" is not the newest version, {companions[pinned[1]][0]}'
            remedy = f"write {pinned[1]}=={{newest:{pinned[1]}}}"
            yield Problem(file.path, span.line, what, remedy)


def _outdated_claims(
    catalog: Catalog, text: str, sources: Mapping[str, Source]
) -> Iterator[tuple[int, str, str]]:
    """Yield the position of each claim that names an older version, with a message and the fix.

    A claim is about the package that it names, or that the next citation of its paragraph names, or
    that was named last before it.
    """
    for claim in _CLAIM.finditer(text):
        stated = version_or_none(claim["version"] or claim["other"])
        package = _package_of_claim(catalog, text, claim, sources)
        newest = newest_version(catalog, package) if package else None
        if stated and newest and Version(newest).release[: len(stated.release)] > stated.release:
            words = " ".join(claim[0].split())
            what = f'"{words}", but the newest {package} is {newest}'
            yield claim.start(), what, f"write {{newest:{package}}}, or correct the sentence"


def _package_of_claim(
    catalog: Catalog, text: str, claim: re.Match[str], sources: Mapping[str, Source]
) -> str | None:
    known = catalog.packages
    named = canonicalize_name(claim["name"] or claim["subject"] or "")
    if named in known:
        return named
    end = text.find("\n\n", claim.end())
    following = CITATION.findall(text[claim.end() : end if end >= 0 else len(text)])
    cited = [source.package for name in following if (source := sources.get(name))]
    if cited and cited[0]:
        return canonicalize_name(cited[0])
    mentioned = _PLUGIN_NAME.findall(text[: claim.end()].rpartition("\n\n")[2])
    return canonicalize_name(mentioned[-1]) if mentioned else None
