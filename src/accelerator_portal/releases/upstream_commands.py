"""Reads PyTorch's own lists of install commands, and compares them with the portal's commands."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from packaging.requirements import Requirement
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.http.client import open_client
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.install.expand import expand
from accelerator_portal.install.pip_command import UnreadableCommandError, pip_steps
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.packages.sync import USER_AGENT

# Ten times the size of the largest list.
MAX_BYTES = 4 * 1024**2

_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_ADDRESS = re.compile(r"""https://[^\s"'<>;]+""")
_LIBTORCH = re.compile(r"https://download\.pytorch\.org/libtorch/(?:nightly/)?([^/\s]+)/\S+\.zip")
_SYSTEMS = ("linux", "macos", "windows")

# The systems to which the commands below a heading of previous-versions.md apply.
_SYSTEMS_BY_HEADING = {
    "OSX": ("macos",),
    "MacOS": ("macos",),
    "Linux and Windows": ("linux", "windows"),
    "Linux": ("linux",),
    "Windows": ("windows",),
}

_IGNORED_PACKAGES = frozenset({"torch", "torchaudio"})

_PublishedSystems = dict[str, dict[str, dict[str, dict[str, Any]]]]


Agreement = Literal["same", "differs", "missing", "extra"]
"""Whether PyTorch and the portal list a build. `same`: both list the build in the same way.
`differs`: both list the build, but differently. `missing`: only PyTorch lists the build. `extra`:
only the portal lists the build."""

AGREEMENTS: tuple[Agreement, ...] = get_args(Agreement)

NIGHTLY = "nightly"
"""The value of `release` for nightly builds."""


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """How PyTorch's list and the portal agree on one release, system, kind and build.

    `words` describe a difference; empty without a difference.
    """

    release: str
    """A release's version, its first two numbers, or NIGHTLY."""
    system: str
    """The operating system, with the architecture if the list has one, or `all systems`."""
    kind: str
    """What is compared: `pip`, `libtorch`, `wheels`, `archives` or `support`."""
    build: str
    """A variant or `pypi`; `Python` for the Python versions in RELEASE.md."""
    agreement: Agreement
    words: str = ""


@dataclass(frozen=True, slots=True)
class UpstreamComparison:
    """The comparison of the portal with one of PyTorch's lists.

    `entries` compare the builds of the releases that the portal and the list have in common, newest
    release first.
    """

    entries: tuple[ComparedEntry, ...]
    only_upstream: tuple[str, ...]
    """Releases that only PyTorch lists and that are newer than the portal's first release."""
    only_portal: tuple[str, ...]
    """Releases that only the portal lists; empty for a binary build matrix."""
    with_torchaudio: int = 0
    """The number of PyTorch's pip commands that install torchaudio."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the compared entries, sorted and without duplicates."""
        return tuple(sorted({entry.kind for entry in self.entries}))

    def count(self, agreement: Agreement, kind: str) -> int:
        """Return the number of entries of a kind with this agreement."""
        return sum((e.agreement, e.kind) == (agreement, kind) for e in self.entries)


class UpstreamSourceError(ValueError):
    """Raised if a text is not a valid list of PyTorch, such as RELEASE.md; the message says why."""


@dataclass(frozen=True, slots=True)
class UpstreamCommand:
    """An install command for a release and an operating system, from PyTorch or from the portal."""

    release: str
    os: str
    method: str
    """`pip` or `libtorch`."""
    build: str
    """The variant in the address of the index or archive, or `pypi`."""
    address: str = ""
    """The address of a LibTorch archive; empty for pip."""
    packages: frozenset[str] = frozenset()
    """The requirements that a pip command installs."""


def read_upstream(text: str) -> tuple[UpstreamCommand, ...]:
    """Return the commands in the text of published_versions.json or previous-versions.md.

    Raises UpstreamSourceError if there are none, or if the JSON is invalid.
    """
    commands = tuple(
        _commands_of_json(text) if text.lstrip().startswith("{") else _commands_of_markdown(text)
    )
    if not commands:
        raise UpstreamSourceError(
            "no install command found. Use published_versions.json, previous-versions.md, "
            "RELEASE.md or the output of generate_binary_build_matrix.py"
        )
    return tuple(dict.fromkeys(commands))


def archive_commands(release: str, os: str, text: str) -> Iterator[UpstreamCommand]:
    """Yield a command for each address of a LibTorch archive in a text.

    `release` and `os` are the release and the operating system of the commands.
    """
    for address in _ADDRESS.findall(text):
        if found := _LIBTORCH.fullmatch(address):
            yield UpstreamCommand(release, os, "libtorch", found[1], address)


def _commands_of_json(text: str) -> Iterator[UpstreamCommand]:
    try:
        versions = json.loads(text)["versions"]
        for release, systems in versions.items():
            if release == PREVIEW or _RELEASE.fullmatch(release):
                yield from _commands_of_release(_release_name(release), systems)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        error_text = (
            "this is not published_versions.json: it needs versions by release, system and tool"
        )
        raise UpstreamSourceError(error_text) from None


def _commands_of_release(release: str, systems: _PublishedSystems) -> Iterator[UpstreamCommand]:
    """Yield the commands of a release in published_versions.json.

    Entries marked `default` are omitted, because they repeat entries without this mark.
    """
    for os in _SYSTEMS:
        tools = systems.get(os, {})
        for method in ("pip", "libtorch"):
            entries = tools.get(method) or {}
            for entry in entries.values():
                if entry.get("default"):
                    continue
                if method == "pip":
                    yield from _pip_commands(release, os, entry["command"] or "")
                else:
                    addresses = " ".join((entry["versions"] or {}).values())
                    yield from archive_commands(release, os, addresses)


def _pip_commands(release: str, os: str, text: str) -> Iterator[UpstreamCommand]:
    for line in text.replace("<br />", "\n").splitlines():
        if not line.startswith("pip"):
            continue
        try:
            (step,) = (part["pip"] for part in pip_steps(line))
        except (UnreadableCommandError, ValueError):
            continue  # a comment of several lines, or another tool
        index = step.get("index") or step.get("extra_index") or ""
        build = _variant_of_index(index) or PYPI
        packages = frozenset(step["packages"])
        if any(Requirement(package).name == "torch" for package in packages):
            yield UpstreamCommand(release, os, "pip", build, packages=packages)


def _release_name(build: str) -> str:
    return NIGHTLY if build == PREVIEW else build


def _variant_of_index(index: str) -> str:
    """Return the variant in the address of one of PyTorch's indexes, or an empty text for PyPI."""
    return index.removeprefix(f"{PYTORCH_INDEX}/").removeprefix("nightly/").strip("/")


def published_variants(text: str) -> dict[tuple[str, str], set[str]]:
    """Return the variants of PyTorch's pip commands, by release (or NIGHTLY) and operating system.

    `text` is one of PyTorch's lists. The result is empty for lists that contain no commands.
    """
    try:
        commands = read_upstream(text)
    except UpstreamSourceError:
        return {}
    variants: dict[tuple[str, str], set[str]] = {}
    for command in commands:
        if command.method == "pip":
            variants.setdefault((command.release, command.os), set()).add(command.build)
    return variants


def _commands_of_markdown(text: str) -> Iterator[UpstreamCommand]:
    release, comment = "", ""
    systems: tuple[str, ...] = ()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("#####"):
            systems = _SYSTEMS_BY_HEADING.get(line.strip("# "), ())
        elif line.startswith("####"):
            systems = ()
        elif line.startswith("### "):
            found = _RELEASE.fullmatch(line.removeprefix("### ").removeprefix("v"))
            release, systems = (found[0] if found else ""), ()
        elif line.startswith("# "):
            comment = line.casefold()
        elif release:
            for os in systems:
                if os == "linux" or "linux only" not in comment:
                    yield from _pip_commands(release, os, line)
        if not line.startswith(("#", "pip")):
            comment = ""


def upstream_text(source: str, limits: RequestLimits) -> str:
    """Return the text at `source`, the path of a file or a web address.

    For a path, raises OSError if the file cannot be read, and ValueError if it is too large or is a
    special file, such as a pipe. For an address, raises FetchError if it cannot be read or its text
    is too large. Raises ValueError if the text is not UTF-8.
    """
    if source.startswith(("https://", "http://")):
        data = asyncio.run(_fetch(source, limits))
    else:
        path = Path(source)
        if path.exists() and not (path.is_file() or path.is_dir()):  # it could wait forever
            raise ValueError("it is not a regular file. Save the list to a file and name that")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES // 1024**2} MB. Use a list of PyTorch's")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text. Use a list of PyTorch's") from None


async def _fetch(address: str, limits: RequestLimits) -> bytes:
    async with open_client(USER_AGENT, limits) as client:
        return (await client.get(address, max_bytes=MAX_BYTES)).body


def compare_commands(catalog: Catalog, upstream: Iterable[UpstreamCommand]) -> UpstreamComparison:
    """Return the comparison of the portal's commands with those of one of PyTorch's lists."""
    first_release = min(Version(release.version) for release in catalog.releases.releases)
    commands = [
        command
        for command in upstream
        if command.release == NIGHTLY or Version(command.release) >= first_release
    ]
    upstream_releases = {command.release for command in commands} - {NIGHTLY}
    portal_releases = {release.version for release in catalog.releases.releases}
    methods = {(command.release, command.method) for command in commands}
    portal_by_key = _commands_by_key(
        c for c in portal_commands(catalog) if (c.release, c.method) in methods
    )
    upstream_by_key = _commands_by_key(
        command for command in commands if command.release in {*portal_releases, NIGHTLY}
    )
    pypi_builds = _pypi_builds(catalog)
    entries = [
        *_compared_with_portal(upstream_by_key, portal_by_key, pypi_builds),
        *_only_in_portal(upstream_by_key, portal_by_key, pypi_builds),
    ]
    return UpstreamComparison(
        sorted_entries(entries),
        tuple(sorted(upstream_releases - portal_releases, key=Version)),
        tuple(sorted(portal_releases - upstream_releases, key=Version)),
        sum(any(_package_name(p) == "torchaudio" for p in c.packages) for c in commands),
    )


def portal_commands(catalog: Catalog) -> tuple[UpstreamCommand, ...]:
    """Return the portal's commands for PyTorch's own builds, to compare with PyTorch's lists."""
    in_tree = {platform.id for platform in catalog.platforms if platform.in_tree}
    all_commands: list[UpstreamCommand] = []
    for row in expand(catalog)[0]:
        if row.platform in in_tree:
            if row.method == "pip":
                all_commands += _portal_pip_commands(row)
            elif row.method == "libtorch":
                text = "\n".join(row.commands)
                all_commands += archive_commands(_release_name(row.build), row.os, text)
    return tuple(dict.fromkeys(all_commands))


def _portal_pip_commands(row: InstallRow) -> Iterator[UpstreamCommand]:
    for call in row.calls:
        index = call.index or call.extra_index or ""
        if any(_package_name(package) == "torch" for package in call.packages) and (
            not index or index.startswith(f"{PYTORCH_INDEX}/")
        ):
            release, build = _release_name(row.build), _variant_of_index(index) or PYPI
            yield UpstreamCommand(release, row.os, "pip", build, packages=frozenset(call.packages))


_CommandKey = tuple[str, str, str, str]


def _command_key(command: UpstreamCommand) -> _CommandKey:
    return command.release, command.os, command.method, command.build


def _commands_by_key(
    commands: Iterable[UpstreamCommand],
) -> dict[_CommandKey, list[UpstreamCommand]]:
    return grouped((_command_key(command), command) for command in commands)


def _pypi_builds(catalog: Catalog) -> frozenset[_CommandKey]:
    """Return the key of each build on PyPI: release, operating system, `pip` and variant."""
    return frozenset(
        (release.version, wheel.os, "pip", wheel.variant)
        for release in catalog.releases.releases
        for wheel in release.wheels
        if wheel.on == PYPI
    )


def _compared_with_portal(
    upstream_by_key: dict[_CommandKey, list[UpstreamCommand]],
    portal_by_key: dict[_CommandKey, list[UpstreamCommand]],
    pypi_builds: frozenset[_CommandKey],
) -> Iterator[ComparedEntry]:
    for key, commands in upstream_by_key.items():
        difference = _difference(commands, portal_by_key[key]) if key in portal_by_key else ""
        if key in portal_by_key and not difference:
            yield ComparedEntry(*key, "same")
        elif key in pypi_builds and (*key[:3], PYPI) in portal_by_key:
            yield ComparedEntry(*key, "differs", "the portal installs this build from PyPI")
        else:
            yield ComparedEntry(*key, "differs" if difference else "missing", difference)


def _only_in_portal(
    upstream_by_key: dict[_CommandKey, list[UpstreamCommand]],
    portal_by_key: dict[_CommandKey, list[UpstreamCommand]],
    pypi_builds: frozenset[_CommandKey],
) -> Iterator[ComparedEntry]:
    pypi_variants = {key[:3] for key in upstream_by_key if key in pypi_builds}
    for key in portal_by_key:
        is_listed = key in upstream_by_key or (key[3] == PYPI and key[:3] in pypi_variants)
        if not is_listed:
            yield ComparedEntry(*key, "extra")


def _difference(upstream: list[UpstreamCommand], portal: list[UpstreamCommand]) -> str:
    """Return a message about the first difference between the commands for a build.

    The message is empty if there is no difference.
    """
    addresses = {command.address for command in portal}
    if addresses.isdisjoint(command.address for command in upstream):
        return f"upstream has {upstream[0].address}, the portal has {portal[0].address}"
    upstream_specifiers = _specifiers_by_package(upstream)
    portal_specifiers = _specifiers_by_package(portal)
    for name in sorted(upstream_specifiers):
        pins = {pin for pin in upstream_specifiers[name] if pin}
        if name not in portal_specifiers:
            return f"upstream's command installs {name}, the portal's command does not"
        if pins and pins.isdisjoint(portal_specifiers[name]):
            specifier = min(portal_specifiers[name])
            return f"upstream has {name}{min(pins)}, the portal has {name}{specifier}"
    return ""


def _specifiers_by_package(commands: list[UpstreamCommand]) -> dict[str, set[str]]:
    """Return the version specifiers in the commands by package, without torch and torchaudio."""
    specifiers: dict[str, set[str]] = {}
    for command in commands:
        for requirement in map(Requirement, command.packages):
            if requirement.name not in _IGNORED_PACKAGES:
                specifiers.setdefault(requirement.name, set()).add(str(requirement.specifier))
    return specifiers


def _package_name(package: str) -> str:
    return Requirement(package).name


def sorted_entries(entries: Iterable[ComparedEntry]) -> tuple[ComparedEntry, ...]:
    """Return the entries sorted: newest release first, nightly builds before all releases."""
    ordered = sorted(entries, key=lambda e: (e.kind, e.system, e.build))
    ordered.sort(key=lambda e: (e.release == NIGHTLY, _sortable_version(e.release)), reverse=True)
    return tuple(ordered)


def _sortable_version(release: str) -> Version:
    return Version("0" if release == NIGHTLY else release)
