"""Derives the entry of a PyTorch release from package indexes; adds it to `data/releases.yaml`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from packaging.version import Version

from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.versions_file import (
    PYTORCH_INDEX,
    Companion,
    Release,
    Releases,
    Wheel,
)
from accelerator_portal.catalog.yaml_text import cited_record, yaml_line, yaml_lines
from accelerator_portal.packages.portal_packages import TORCHVISION
from accelerator_portal.packages.wheel_tags import ordered_pythons
from accelerator_portal.releases.published_builds import (
    PublishedBuild,
    PublishedRelease,
    companion_source_id,
    torch_source_id,
)
from accelerator_reports.files.fields import Arch, Os
from accelerator_reports.files.problem import ProblemsError, UserError
from accelerator_reports.files.yaml_file import (
    Location,
    YamlFile,
    comment_start,
    edit_error,
    read_for_edit,
    replace_read_date,
)

BuildKey = tuple[str, Os, Arch]

_VARIANT_PREFIXES = ("cu", "rocm", "xpu", "cpu")
_SYSTEMS: tuple[Os, ...] = ("linux", "windows", "macos")


@dataclass(frozen=True, slots=True)
class EntryChange:
    """The additions to `data/releases.yaml` for a release.

    `release` is the release's entry with the additions.
    """

    release: Release
    wheels: tuple[Wheel, ...]
    """Wheels to add to the entry."""
    torchvision: str | None
    """The torchvision release to add, or None."""
    completed: Mapping[int, Wheel] = field(default_factory=dict)
    """Wheels of the entry that get platform tags or sizes, by their position in the entry."""
    differences: tuple[str, ...] = ()
    """Messages about values of the entry that differ from the indexes. These values are kept."""
    is_new: bool = False
    """Whether the file has no entry for the release yet."""
    companions: tuple[Companion, ...] = ()
    """Rows to add to the list `companions` in the file."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to add."""
        entry = self.is_new or self.wheels or self.torchvision or self.completed
        return not (entry or self.companions)


class NoReleaseError(UserError, ValueError):
    """Raised if no entry can be written for a release; the message says why and what to do."""


def entry_change(published: PublishedRelease, listed: Releases) -> EntryChange:
    """Return the additions to `data/releases.yaml` for a release.

    These are a new entry or additions to the existing entry, and rows for the list of companions.
    For a new release, raises NoReleaseError if its date is unknown, or if no index that was read
    has wheels of it.
    """
    entry = listed.by_version.get(published.version)
    change = _additions_to_entry(published, entry) if entry else _new_entry(published)
    listed_companions = listed.companions_of(published.version)
    missing = (
        c for c in published.companions if c.version not in listed_companions.get(c.package, ())
    )
    differences = (*change.differences, *_untied_companion_messages(published, listed))
    return replace(change, companions=tuple(missing), differences=differences)


def _untied_companion_messages(published: PublishedRelease, listed: Releases) -> Iterator[str]:
    """Yield a message for each release of a companion package that a person must add.

    The portal cannot add a release whose metadata requires no exact torch release. A message is
    only about a release that is newer than all releases of the package in `listed`.
    """
    tied_packages = {companion.package for companion in published.companions}
    for package, version in published.untied.items():
        listed_versions = [Version(c.version) for c in listed.companions if c.package == package]
        if package not in tied_packages and Version(version) > max(listed_versions):
            yield (
                f"{package} {version} is on PyPI, and its metadata does not state which torch it "
                "supports. Add its row to companions, with a source"
            )


def _additions_to_entry(published: PublishedRelease, entry: Release) -> EntryChange:
    listed_wheels = dict(_listed_wheels(entry))
    new_builds = [build for build in published.builds if build.key not in listed_wheels]
    wheels = tuple(_wheel_entries(new_builds, published.version, entry.python))
    torchvision = None if entry.torchvision else published.torchvision
    completed = _completed_wheels(published, entry)
    known_wheels = (completed.get(position, wheel) for position, wheel in enumerate(entry.wheels))
    update: dict[str, object] = {"wheels": (*known_wheels, *wheels)}
    if torchvision:
        source = (*entry.source, companion_source_id(TORCHVISION, published.version))
        update |= {TORCHVISION: torchvision, "source": source}
    release = entry.model_copy(update=update)
    differences = tuple(_entry_differences(published, entry))
    return EntryChange(release, wheels, torchvision, completed, differences)


def _new_entry(published: PublishedRelease) -> EntryChange:
    version = published.version
    if not published.builds:
        error_text = f"no index that could be read has wheels of torch {version}"
        raise NoReleaseError(f"{error_text}. Check the version, or run the command again later")
    if published.date is None:
        error_text = (
            f"PyPI, which states the date of a release, could not be read or has no {version}"
        )
        raise NoReleaseError(f"{error_text}. Run the command again once torch {version} is on PyPI")
    source = [torch_source_id(PYPI, version)]
    source += [companion_source_id(TORCHVISION, version)] if published.torchvision else []
    wheels = tuple(_wheel_entries(published.builds, version, published.pythons))
    release = Release(
        version=version,
        date=published.date,
        python=published.pythons,
        torchvision=published.torchvision,
        source=tuple(source),
        wheels=wheels,
    )
    return EntryChange(release, wheels, published.torchvision, is_new=True)


def _listed_wheels(release: Release) -> Iterator[tuple[BuildKey, Wheel]]:
    for wheel in release.wheels:
        for arch in wheel.arch:
            yield (wheel.variant, wheel.os, arch), wheel


def _completed_wheels(published: PublishedRelease, entry: Release) -> dict[int, Wheel]:
    """Return completed copies of the wheels in `entry` that lack tags or sizes.

    The keys are the wheels' positions in `entry.wheels`.
    """
    builds = {(*build.key, build.index == PYPI): build for build in published.builds}
    completed: dict[int, Wheel] = {}
    for position, wheel in enumerate(entry.wheels):
        keys = [(wheel.variant, wheel.os, arch, wheel.on == "pypi") for arch in wheel.arch]
        wheel_builds = [builds[key] for key in keys if key in builds]
        if len(wheel_builds) == len(keys):
            update = {
                "tags": wheel.tags or _platform_tags(wheel_builds),
                "size_mb": wheel.size_mb or _sizes_mb(wheel_builds),
            }
            completed_wheel = wheel.model_copy(update=update)
            if completed_wheel != wheel:
                completed[position] = completed_wheel
    return completed


def _platform_tags(builds: Iterable[PublishedBuild]) -> tuple[str, ...] | None:
    return tuple(sorted({tag for build in builds for tag in build.tags})) or None


def _sizes_mb(builds: Iterable[PublishedBuild]) -> dict[Arch, int]:
    return {b.arch: max(1, round(b.size / 1_000_000)) for b in builds if b.size}


def _wheel_entries(
    builds: Iterable[PublishedBuild], version: str, pythons: tuple[str, ...]
) -> Iterator[Wheel]:
    """Yield the wheels to list in `data/releases.yaml`, in the order of that file.

    Builds that differ only in architecture, tags or size share a wheel entry. `pythons` are the
    release's Python versions; a wheel states its own only if they differ.
    """
    groups: dict[tuple[str, Os, str, tuple[str, ...]], list[PublishedBuild]] = {}
    for build in sorted(builds, key=_build_sort_key):
        build_pythons = ordered_pythons(build.pythons)
        groups.setdefault((build.variant, build.os, build.index, build_pythons), []).append(build)
    for (variant, os, index, build_pythons), group in groups.items():
        group.sort(key=lambda build: build.arch, reverse=True)  # x86_64 first
        yield Wheel(
            variant=variant,
            os=os,
            arch=tuple(build.arch for build in group),
            on="pypi" if index == PYPI else None,
            python=None if build_pythons == pythons else build_pythons,
            tags=_platform_tags(group),
            size_mb=_sizes_mb(group),
            source=(torch_source_id(index, version),),
        )


def _build_sort_key(build: PublishedBuild) -> tuple[object, ...]:
    kind = next(
        rank for rank, kind in enumerate(_VARIANT_PREFIXES) if build.variant.startswith(kind)
    )
    newest_first = tuple(-int(number) for number in re.findall(r"\d+", build.variant))
    return kind, newest_first, _SYSTEMS.index(build.os), build.index != PYPI, build.index


def _entry_differences(published: PublishedRelease, entry: Release) -> Iterator[str]:
    builds = {build.key: build for build in published.builds}
    for key, wheel in _listed_wheels(entry):
        index = PYPI if wheel.on == "pypi" else f"{PYTORCH_INDEX}/{wheel.variant}"
        name = " ".join(key)
        build = builds.get(key)
        if build is None:
            if index in published.read:
                yield f"{name}: the entry lists this wheel, but {index} doesn't have it"
            continue
        listed_pythons, build_pythons = wheel.python or entry.python, ordered_pythons(build.pythons)
        if set(listed_pythons) != set(build_pythons):
            index_text = f"{index} has wheels for {', '.join(build_pythons)}"
            yield f"{name}: the entry lists Python {', '.join(listed_pythons)}, but {index_text}"
    if entry.torchvision and published.torchvision not in {None, entry.torchvision}:
        entry_text = f"the entry lists torchvision {entry.torchvision}"
        requires_text = f"torchvision {published.torchvision} requires torch=={entry.version}"
        yield f"{entry_text}, but {requires_text}"
    if published.date and published.date != entry.date:
        yield f"the entry lists the date {entry.date}, but PyPI has {published.date}"


# Adds a release, or what its entry lacks, to the text of `data/releases.yaml`.

_REMEDY = "write each wheel on one line, or add the release by hand"


def with_release(path: str, text: str, change: EntryChange, read: dt.date) -> str:
    """Return `text`, the content of `data/releases.yaml`, with `change` applied.

    `path` names the file in errors. `read` is the day on which the indexes were read. Returns
    `text` unchanged if `change` is empty. Raises ProblemsError if `text` is invalid, or is not
    written in the form that the portal can edit.
    """
    before, file = read_releases(path, text)
    if change.is_empty:
        return text
    lines = text.split("\n")
    sources_line = file.line(("sources",))
    if lines[sources_line - 1].rstrip() != "sources:" or sources_line > file.line(("releases",)):
        raise _release_edit_error(
            path, sources_line, "the sources are not written as a block above the releases"
        )
    if change.is_new:
        position = _line_of_new_entry(file, before, change.release, lines)
        lines[position:position] = _entry_lines(change.release)
    else:
        _complete_entry(path, file, before, change, lines)
    _add_companions(path, file, before, change, lines)
    end = min(line for key, line in file.lines.items() if len(key) == 1 and line > sources_line)
    end = _end_of_content(lines, end - 1)
    _update_read_days(file, before, change, read, lines)
    lines[end:end] = _source_lines(change, before, read)
    new_text = "\n".join(lines)
    _require_only_change(path, before, read_releases(path, new_text)[0], change)
    return new_text


def read_releases(path: str, text: str) -> tuple[Releases, YamlFile]:
    """Return the data of `data/releases.yaml` and the file with its line numbers, from `text`.

    `path` names the file in errors. Raises ProblemsError if the text is not valid.
    """
    return read_for_edit(path, text, Releases, "release")


def _release_edit_error(path: str, line: int, what: str) -> ProblemsError:
    return edit_error(path, line, what, _REMEDY)


def _require_only_change(path: str, before: Releases, after: Releases, change: EntryChange) -> None:
    """Raise ProblemsError unless `after` is `before` with exactly the additions in `change`."""
    version = change.release.version
    others_after = [release for release in after.releases if release.version != version]
    others_before = [release for release in before.releases if release.version != version]
    new_companions = set(change.companions)
    rest = [c for c in after.companions if c not in new_companions] == [*before.companions]
    rest = rest and new_companions <= set(after.companions) and after.preview == before.preview
    is_same = after.by_version.get(version) == change.release and rest
    if not (
        is_same and others_after == others_before and set(before.sources) <= set(after.sources)
    ):
        raise _release_edit_error(
            path, 1, "the release cannot be written without changing other lines"
        )


def _end_of_content(lines: list[str], end: int) -> int:
    """Return the index after the last line of content in `lines[:end]`.

    Blank lines and comments are not content.
    """
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _line_of_new_entry(file: YamlFile, before: Releases, release: Release, lines: list[str]) -> int:
    """Return the index in `lines` at which a new entry is inserted; newest releases come first."""
    for position, listed_release in enumerate(before.releases):
        if Version(listed_release.version) < Version(release.version):
            return comment_start(lines, file.line(("releases", position)) - 1)
    return _end_of_content(lines, len(lines))


def _complete_entry(
    path: str, file: YamlFile, before: Releases, change: EntryChange, lines: list[str]
) -> None:
    """Apply `change` to an existing entry in `lines`, the lines of the file.

    Adds tags and sizes to the entry's wheels, and adds missing wheels and torchvision. Raises
    ProblemsError if a wheel or the entry's `source` is not written on one line.
    """
    versions = [release.version for release in before.releases]
    position = versions.index(change.release.version)
    key = ("releases", position)
    wheels = before.releases[position].wheels
    new_lines: dict[tuple[int, int], list[str]] = {}  # by start and end of the lines to replace
    for number, wheel in change.completed.items():
        line_number = _line_of_wheel(path, file, (*key, "wheels", number), lines)
        indent = lines[line_number - 1].partition("-")[0]
        new_lines[line_number - 1, line_number] = [f"{indent}- {_record_line(wheel)}"]
    if change.wheels:
        last_line = _line_of_wheel(path, file, (*key, "wheels", len(wheels) - 1), lines)
        indent = lines[last_line - 1].partition("-")[0]
        new_lines[last_line, last_line] = [f"{indent}- {_record_line(w)}" for w in change.wheels]
    if change.torchvision:
        line_number = file.line((*key, "source"))
        if not re.match(r"\s+source: [\[\w].*$", lines[line_number - 1]):
            raise _release_edit_error(
                path, line_number, "the source of the release is not written on one line"
            )
        indent = lines[line_number - 1].partition("s")[0]
        torchvision = f'{indent}torchvision: "{change.torchvision}"'
        source = f"{indent}source: [{', '.join(change.release.source)}]"
        new_lines[line_number - 1, line_number] = [torchvision, source]
    for start, end in sorted(new_lines, reverse=True):  # from below, so that no line moves
        lines[start:end] = new_lines[start, end]


def _add_companions(
    path: str, file: YamlFile, before: Releases, change: EntryChange, lines: list[str]
) -> None:
    """Add each row of `change.companions` to `lines`, above the existing rows of its package.

    Raises ProblemsError if `companions` is not between `sources` and `releases` in the file.
    """
    packages = [companion.package for companion in before.companions]
    for companion in sorted(change.companions, key=lambda c: packages.index(c.package))[::-1]:
        line_number = file.line(("companions", packages.index(companion.package)))
        if not file.line(("sources",)) < line_number < file.line(("releases",)):
            error_text = "companions is not between sources and releases"
            raise _release_edit_error(path, line_number, error_text)
        lines[line_number - 1 : line_number - 1] = [f"  - {_record_line(companion)}"]


def _line_of_wheel(path: str, file: YamlFile, key: Location, lines: list[str]) -> int:
    """Return the line number, from 1, of the wheel at `key`, its location in the file.

    Raises ProblemsError if the wheel is not written on one line.
    """
    line_number = file.line(key)
    if not re.match(r"\s+- \{.*\}\s*$", lines[line_number - 1]):
        raise _release_edit_error(path, line_number, "this wheel is not written on one line")
    return line_number


def _entry_lines(release: Release) -> list[str]:
    record = cited_record(release)
    del record["wheels"]
    lines = [*yaml_lines([record], "  "), "    wheels:"]
    return lines + [f"      - {_record_line(wheel)}" for wheel in release.wheels]


def _record_line(record: Wheel | Companion) -> str:
    # The reader of the portal's files takes each key as text, so that `on` needs no quotes.
    return yaml_line(cited_record(record)).replace("'on': ", "on: ")


def _cited_source_ids(change: EntryChange) -> set[str]:
    source_ids = {source for wheel in change.wheels for source in wheel.source or ()}
    source_ids |= {source for companion in change.companions for source in companion.source}
    return source_ids | set(change.release.source if change.is_new or change.torchvision else ())


def _update_read_days(
    file: YamlFile, before: Releases, change: EntryChange, read: dt.date, lines: list[str]
) -> None:
    """Set the `read` date of some sources in `lines` to the day `read`.

    These are the sources in `before` that `change` cites, and the source of the release's
    torchvision.
    """
    vision_source_id = companion_source_id(TORCHVISION, change.release.version)
    for id_ in (_cited_source_ids(change) | {vision_source_id}) & set(before.sources):
        line_index = file.line(("sources", id_, "read")) - 1
        lines[line_index] = replace_read_date(lines[line_index], read)


def _source_lines(change: EntryChange, before: Releases, read: dt.date) -> Iterator[str]:
    """Yield the YAML lines of each source that `change` cites and `before` does not have."""
    version = change.release.version
    indexes = {torch_source_id(PYPI, version): PYPI}
    for wheel in change.wheels:
        if wheel.on is None and wheel.source:
            indexes[wheel.source[0]] = _index_of_wheel(wheel, version)
    names = (TORCHVISION, *(companion.package for companion in change.companions))
    package_by_source = {companion_source_id(name, version): name for name in names}
    for id_ in sorted(_cited_source_ids(change) - set(before.sources)):
        if name := package_by_source.get(id_):
            source = {"package": name, "title": f"Requirement of {name} on torch, on PyPI"}
        elif indexes[id_] == PYPI:
            title = f"torch {version} on PyPI, wheel tags and requirements"
            source = {"package": "torch", "title": title}
        else:
            variant = indexes[id_].removeprefix(f"{PYTORCH_INDEX}/")
            builds_text = "all builds" if indexes[id_] == PYTORCH_INDEX else f"the {variant} builds"
            title = f"PyTorch, index of {builds_text}, wheels of torch {version}"
            source = {"url": f"{indexes[id_]}/torch/", "title": title}
        yield from yaml_lines({id_: {**source, "read": read}}, "  ")


def _index_of_wheel(wheel: Wheel, version: str) -> str:
    url = f"{PYTORCH_INDEX}/{wheel.variant}"
    return url if wheel.source == (torch_source_id(url, version),) else PYTORCH_INDEX
