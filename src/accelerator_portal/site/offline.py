"""Writes the commands of an offline install: download elsewhere, install from a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.version import Version

from accelerator_portal.install.pip_command import command_line
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.install.selector import Selector

_INSTALL = " -m pip install "
_DOWNLOAD = " -m pip download --dest wheels "
# Files that an earlier line downloaded serve the later ones: no second torch from another index.
_ALSO = f"{_DOWNLOAD}--find-links wheels "
_OFFLINE = " -m pip install --no-index --find-links wheels "


@dataclass(frozen=True, slots=True)
class OfflineInstall:
    """The commands of one platform on one system: with a network, and then without."""

    platform: str
    platform_id: str
    system: str
    build: str
    download: tuple[str, ...]
    install: str


def offline_installs(selector: Selector) -> Iterator[OfflineInstall]:
    """Yield one for each platform and system that pip alone serves, CUDA and CPU first."""
    first = {"cuda": 0, "cpu": 1}
    newest = _newest(selector.rows)
    for row in sorted(newest, key=lambda row: first.get(row.platform, len(first))):
        choice = next(selector.choices(row))
        packages = dict.fromkeys(package for call in row.calls for package in call.packages)
        python = row.commands[0].partition(_INSTALL)[0]
        yield OfflineInstall(
            platform=selector.label("platform", choice),
            platform_id=row.platform,
            system=" ".join(selector.label(axis.id, choice) for axis in selector.machine_axes),
            build=row.build,
            download=tuple(
                line.replace(_INSTALL, _ALSO if n else _DOWNLOAD)
                for n, line in enumerate(row.commands)
            ),
            install=f"{python}{_OFFLINE}{command_line([*packages], row.os)}",
        )


def _newest(rows: Iterable[InstallRow]) -> Iterable[InstallRow]:
    """The newest release of each platform and operating system."""
    found: dict[tuple[str, str], InstallRow] = {}
    for row in rows:
        only_pip = row.method == "pip" and all(
            _INSTALL in line and ".whl" not in line for line in row.commands
        )
        if not only_pip or row.build == PREVIEW or row.on_request:
            continue
        before = found.setdefault((row.platform, row.os), row)
        if Version(before.build) < Version(row.build):
            found[row.platform, row.os] = row
    return found.values()
