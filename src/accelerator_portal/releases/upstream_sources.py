"""PyTorch's own lists of install commands: `published_versions.json`, `previous-versions.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.requirements import Requirement

from accelerator_portal.catalog.package_file import PYPI
from accelerator_portal.catalog.releases_file import INDEX
from accelerator_portal.install.pip_command import UnreadableCommandError, pip_steps

_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_ADDRESS = re.compile(r"""https://[^\s"'<>;]+""")
_LIBTORCH = re.compile(r"https://download\.pytorch\.org/libtorch/([^/\s]+)/\S+\.zip")
_SYSTEMS = ("linux", "macos", "windows")

# The headings of previous-versions.md, below which a list holds.
_HEADINGS = {
    "OSX": ("macos",),
    "MacOS": ("macos",),
    "Linux and Windows": ("linux", "windows"),
    "Linux": ("linux",),
    "Windows": ("windows",),
}

_Systems = dict[str, dict[str, dict[str, dict[str, Any]]]]


class UpstreamSourceError(ValueError):
    """A text is no list of PyTorch's; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class UpstreamCommand:
    """A command for a release and an operating system: a build by pip, or an archive."""

    release: str
    os: str
    method: str
    """`pip` or `libtorch`."""
    build: str
    """The variant in the address, or `pypi`."""
    address: str = ""
    """Of an archive: where it is downloaded from."""
    packages: frozenset[str] = frozenset()
    """The names and versions that the command installs."""


def read_upstream(text: str) -> tuple[UpstreamCommand, ...]:
    """Return the commands of either list. Raises UpstreamSourceError."""
    found = tuple(_published(text) if text.lstrip().startswith("{") else _previous(text))
    if not found:
        raise UpstreamSourceError(
            "no install command found. Use published_versions.json, previous-versions.md, "
            "RELEASE.md or the output of generate_binary_build_matrix.py"
        )
    return tuple(dict.fromkeys(found))


def archive_commands(release: str, os: str, text: str) -> Iterator[UpstreamCommand]:
    """Yield the LibTorch archives whose addresses stand in a text."""
    for address in _ADDRESS.findall(text):
        if found := _LIBTORCH.fullmatch(address):
            yield UpstreamCommand(release, os, "libtorch", found[1], address)


def _published(text: str) -> Iterator[UpstreamCommand]:
    try:
        versions = json.loads(text)["versions"]
        for release, systems in versions.items():
            if _RELEASE.fullmatch(release):
                yield from _of_release(release, systems)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        what = "this is not published_versions.json: it needs versions by release, system and tool"
        raise UpstreamSourceError(what) from None


def _of_release(release: str, systems: _Systems) -> Iterator[UpstreamCommand]:
    """Yield what one release lists; an entry marked `default` repeats another one."""
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
        build = index.removeprefix(f"{INDEX}/").strip("/") if index else PYPI
        packages = frozenset(step["packages"])
        if any(Requirement(package).name == "torch" for package in packages):
            yield UpstreamCommand(release, os, "pip", build, packages=packages)


def _previous(text: str) -> Iterator[UpstreamCommand]:
    release, comment = "", ""
    systems: tuple[str, ...] = ()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("#####"):
            systems = _HEADINGS.get(line.strip("# "), ())
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
