"""The portal's commands for PyTorch's own builds next to those that upstream lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.package_file import PYPI
from accelerator_portal.catalog.releases_file import INDEX
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.releases.agreement import ComparedEntry, UpstreamComparison, in_order
from accelerator_portal.releases.upstream_sources import UpstreamCommand, archive_commands

_LEFT_OUT = frozenset({"torch", "torchaudio"})


def compare(catalog: Catalog, upstream: Iterable[UpstreamCommand]) -> UpstreamComparison:
    """Return how the portal's commands and upstream's agree."""
    first = min(Version(release.version) for release in catalog.releases.releases)
    listed = [command for command in upstream if Version(command.release) >= first]
    theirs = {command.release for command in listed}
    ours = {release.version for release in catalog.releases.releases}
    methods = {(command.release, command.method) for command in listed}
    own = _by_key(c for c in portal_commands(catalog) if (c.release, c.method) in methods)
    upstream_own = _by_key(command for command in listed if command.release in ours)
    on_pypi = _pypi_builds(catalog)
    compared = [
        *_upstream_side(upstream_own, own, on_pypi),
        *_portal_side(upstream_own, own, on_pypi),
    ]
    return UpstreamComparison(
        in_order(compared),
        tuple(sorted(theirs - ours, key=Version)),
        tuple(sorted(ours - theirs, key=Version)),
        sum(any(_name(p) == "torchaudio" for p in c.packages) for c in listed),
    )


def portal_commands(catalog: Catalog) -> tuple[UpstreamCommand, ...]:
    """Return the portal's commands for PyTorch's own builds in the form of upstream's.

    A command that takes a build from PyPI counts for the variant that PyPI has, too: upstream may
    name the index of the same build.
    """
    in_tree = {platform.id for platform in catalog.platforms if platform.in_tree}
    found: list[UpstreamCommand] = []
    for row in expand(catalog)[0]:
        if row.platform in in_tree and row.build != PREVIEW:
            if row.method == "pip":
                found += _pip(row)
            elif row.method == "libtorch":
                text = "\n".join(row.commands)
                found += archive_commands(row.build, row.os, text)
    return tuple(dict.fromkeys(found))


def _pip(row: InstallRow) -> Iterator[UpstreamCommand]:
    for call in row.calls:
        index = call.index or call.extra_index or ""
        if any(_name(package) == "torch" for package in call.packages) and (
            not index or index.startswith(f"{INDEX}/")
        ):
            build = index.removeprefix(f"{INDEX}/") or PYPI
            yield UpstreamCommand(
                row.build, row.os, "pip", build, packages=frozenset(call.packages)
            )


_Key = tuple[str, str, str, str]


def _key(command: UpstreamCommand) -> _Key:
    return command.release, command.os, command.method, command.build


def _by_key(commands: Iterable[UpstreamCommand]) -> dict[_Key, list[UpstreamCommand]]:
    found: dict[_Key, list[UpstreamCommand]] = {}
    for command in commands:
        found.setdefault(_key(command), []).append(command)
    return found


def _pypi_builds(catalog: Catalog) -> frozenset[_Key]:
    """Return the builds that a plain `pip install` takes, under the name of their variant."""
    return frozenset(
        (release.version, wheel.os, "pip", wheel.variant)
        for release in catalog.releases.releases
        for wheel in release.wheels
        if wheel.on == PYPI
    )


def _upstream_side(
    theirs: dict[_Key, list[UpstreamCommand]],
    ours: dict[_Key, list[UpstreamCommand]],
    on_pypi: frozenset[_Key],
) -> Iterator[ComparedEntry]:
    for key, commands in theirs.items():
        words = _difference(commands, ours[key]) if key in ours else ""
        if key in ours and not words:
            yield ComparedEntry(*key, "same")
        elif key in on_pypi and (*key[:3], PYPI) in ours:
            yield ComparedEntry(*key, "differs", "the portal takes this build from PyPI")
        else:
            yield ComparedEntry(*key, "differs" if words else "missing", words)


def _portal_side(
    theirs: dict[_Key, list[UpstreamCommand]],
    ours: dict[_Key, list[UpstreamCommand]],
    on_pypi: frozenset[_Key],
) -> Iterator[ComparedEntry]:
    by_variant = {key[:3] for key in theirs if key in on_pypi}
    for key in ours:
        listed = key in theirs or (key[3] == PYPI and key[:3] in by_variant)
        if not listed:
            yield ComparedEntry(*key, "extra")


def _difference(theirs: list[UpstreamCommand], ours: list[UpstreamCommand]) -> str:
    """Say in words what the commands of one build do otherwise; empty where they agree."""
    addresses = {command.address for command in ours}
    if addresses.isdisjoint(command.address for command in theirs):
        return f"upstream has {theirs[0].address}, the portal {ours[0].address}"
    wanted = _others(theirs)
    own = _others(ours)
    for name in sorted(wanted):
        pins = {pin for pin in wanted[name] if pin}
        if name not in own:
            return f"the portal does not install {name}"
        if pins and pins.isdisjoint(own[name]):
            return f"upstream has {name}{min(pins)}, the portal {name}{min(own[name])}"
    return ""


def _others(commands: list[UpstreamCommand]) -> dict[str, set[str]]:
    """Return the packages beside torch, with their specifiers; torchaudio is counted apart."""
    found: dict[str, set[str]] = {}
    for command in commands:
        for requirement in map(Requirement, command.packages):
            if requirement.name not in _LEFT_OUT:
                found.setdefault(requirement.name, set()).add(str(requirement.specifier))
    return found


def _name(package: str) -> str:
    return Requirement(package).name
