"""The entry of a release in the text of `data/releases.yaml`; every other line stays."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from packaging.version import Version

from accelerator_portal.catalog.package_file import PYPI
from accelerator_portal.catalog.problem import ProblemsError
from accelerator_portal.catalog.releases_file import INDEX, Release, Releases, Wheel
from accelerator_portal.catalog.yaml_edit import (
    above_comments,
    edit_error,
    quoted,
    read_for_edit,
    with_read_day,
)
from accelerator_portal.catalog.yaml_file import Location, YamlFile
from accelerator_portal.releases.entry import EntryChange, torch_source_id, vision_source_id

_REMEDY = "write each wheel on one line, or add the release by hand"


def with_release(path: str, text: str, change: EntryChange, read: dt.date) -> str:
    """Return the text of the file with a change; `read` is the day on which indexes were read.

    Raises ProblemsError where the file cannot be read, or is written in a form that this cannot
    edit.
    """
    before, file = read_releases(path, text)
    if change.is_empty:
        return text
    lines = text.split("\n")
    at = file.line(("sources",))
    if lines[at - 1].rstrip() != "sources:" or at > file.line(("releases",)):
        raise _refusal(path, at, "the sources are not one below the other, above the releases")
    if change.is_new:
        place = _line_of_new_entry(file, before, change.release, lines)
        lines[place:place] = _entry_lines(change.release)
    else:
        _complete(path, file, before, change, lines)
    end = min(line for key, line in file.lines.items() if len(key) == 1 and line > at)
    end = _last_line(lines, end - 1)
    _read_again(file, before, change, read, lines)
    lines[end:end] = _source_lines(change, before, read)
    result = "\n".join(lines)
    _compare(path, before, read_releases(path, result)[0], change)
    return result


def read_releases(path: str, text: str) -> tuple[Releases, YamlFile]:
    """Return the releases that a text lists. Raises ProblemsError."""
    return read_for_edit(path, text, Releases, "release")


def _refusal(path: str, line: int, what: str) -> ProblemsError:
    return edit_error(path, line, what, _REMEDY)


def _compare(path: str, before: Releases, after: Releases, change: EntryChange) -> None:
    """Refuse a text that says anything else than the change."""
    version = change.release.version
    others = [release for release in after.releases if release.version != version]
    known = [release for release in before.releases if release.version != version]
    rest = (after.preview, after.companions) == (before.preview, before.companions)
    whole = after.by_version.get(version) == change.release and rest
    if not (whole and others == known and set(before.sources) <= set(after.sources)):
        raise _refusal(path, 1, "the release cannot be written without changing other lines")


def _last_line(lines: list[str], end: int) -> int:
    """Return the end of a block without the blank lines and comments that follow it."""
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _line_of_new_entry(file: YamlFile, before: Releases, release: Release, lines: list[str]) -> int:
    """The index of the line before which the entry goes: newest first."""
    for place, known in enumerate(before.releases):
        if Version(known.version) < Version(release.version):
            return above_comments(lines, file.line(("releases", place)) - 1)
    return _last_line(lines, len(lines))


def _complete(
    path: str, file: YamlFile, before: Releases, change: EntryChange, lines: list[str]
) -> None:
    """Add the missing wheels after the last one, and then torchvision, which stands above."""
    versions = [release.version for release in before.releases]
    place = versions.index(change.release.version)
    key = ("releases", place)
    for number, wheel in change.described.items():
        at = _line_of_wheel(path, file, (*key, "wheels", number), lines)
        more = ", ".join(_description(wheel, before.releases[place].wheels[number]))
        lines[at - 1] = f"{lines[at - 1].rstrip()[:-1]}, {more}}}"
    if change.wheels:
        number = len(before.releases[place].wheels) - 1
        last = _line_of_wheel(path, file, (*key, "wheels", number), lines)
        indent = lines[last - 1].partition("-")[0]
        lines[last:last] = [f"{indent}- {_wheel_text(wheel)}" for wheel in change.wheels]
    if change.torchvision:
        at = file.line((*key, "source"))
        if not re.match(r"\s+source: [\[\w].*$", lines[at - 1]):
            raise _refusal(path, at, "the source of the release is not written on one line")
        indent = lines[at - 1].partition("s")[0]
        torchvision = f"{indent}torchvision: {quoted(change.torchvision)}"
        source = f"{indent}source: {_list(change.release.source)}"
        lines[at - 1 : at] = [torchvision, source]


def _line_of_wheel(path: str, file: YamlFile, key: Location, lines: list[str]) -> int:
    """Return the line of a wheel. Raises ProblemsError where it takes more than one."""
    at = file.line(key)
    if not re.match(r"\s+- \{.*\}\s*$", lines[at - 1]):
        raise _refusal(path, at, "this wheel is not written on one line")
    return at


def _entry_lines(release: Release) -> Iterator[str]:
    yield f"  - version: {quoted(release.version)}"
    yield f"    date: {release.date}"
    yield f"    python: {_list(map(quoted, release.python))}"
    if release.torchvision:
        yield f"    torchvision: {quoted(release.torchvision)}"
    yield f"    source: {_list(release.source)}"
    yield "    wheels:"
    for wheel in release.wheels:
        yield f"      - {_wheel_text(wheel)}"


def _wheel_text(wheel: Wheel) -> str:
    parts = [f"variant: {wheel.variant}", f"os: {wheel.os}", f"arch: {_list(wheel.arch)}"]
    parts += [f"on: {wheel.on}"] if wheel.on else []
    parts += [f"python: {_list(map(quoted, wheel.python))}"] if wheel.python else []
    parts += _description(wheel)
    parts += [f"source: {wheel.source[0]}"] if wheel.source else []
    return f"{{{', '.join(parts)}}}"


def _description(wheel: Wheel, before: Wheel | None = None) -> Iterator[str]:
    """Yield the tags and sizes of a wheel that its text did not have."""
    if wheel.tags and not (before and before.tags):
        yield f"tags: {_list(wheel.tags)}"
    if wheel.size_mb and not (before and before.size_mb):
        sizes = ", ".join(f"{arch}: {size}" for arch, size in wheel.size_mb.items())
        yield f"size_mb: {{{sizes}}}"


def _cited(change: EntryChange) -> set[str]:
    cited = {source for wheel in change.wheels for source in wheel.source or ()}
    return cited | set(change.release.source if change.is_new or change.torchvision else ())


def _read_again(
    file: YamlFile, before: Releases, change: EntryChange, read: dt.date, lines: list[str]
) -> None:
    """Give sources of an earlier run, which were read again, the new day."""
    version = change.release.version
    own = {vision_source_id(version)} | {s for wheel in change.wheels for s in wheel.source or ()}
    for id_ in own & set(before.sources):
        at = file.line(("sources", id_, "read")) - 1
        lines[at] = with_read_day(lines[at], read)


def _source_lines(change: EntryChange, before: Releases, read: dt.date) -> Iterator[str]:
    """Yield the sources that the file does not declare yet, each once."""
    version = change.release.version
    indexes = {torch_source_id(PYPI, version): PYPI}
    for wheel in change.wheels:
        if wheel.on is None and wheel.source:
            indexes[wheel.source[0]] = _index(wheel, version)
    for id_ in sorted(_cited(change) - set(before.sources)):
        yield f"  {id_}:"
        if id_ == vision_source_id(version):
            yield "    package: torchvision"
            yield f"    title: {quoted('Requirement of torchvision on torch, on PyPI')}"
        elif indexes[id_] == PYPI:
            yield "    package: torch"
            yield f"    title: {quoted(f'torch {version} on PyPI, wheel tags and requirements')}"
        else:
            yield f"    url: {indexes[id_]}/torch/"
            name = indexes[id_].removeprefix(f"{INDEX}/")
            builds = "all builds" if indexes[id_] == INDEX else f"the {name} builds"
            yield f"    title: {quoted(f'PyTorch, index of {builds}, wheels of torch {version}')}"
        yield f"    read: {read}"


def _index(wheel: Wheel, version: str) -> str:
    own = f"{INDEX}/{wheel.variant}"
    return own if wheel.source == (torch_source_id(own, version),) else INDEX


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(values)}]"
