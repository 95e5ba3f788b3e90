"""Builds the tables of install commands and of the keys of contributed files.

The table shows the commands without JavaScript, which the install selector needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from packaging.version import Version
from pydantic import BaseModel

from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.message import message
from accelerator_portal.catalog.schema import WHOLE_FILE_HEADING, described_schema
from accelerator_portal.install.commands import VENDOR_METHODS, command_line
from accelerator_portal.install.resolution import machine_of, offers
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.results.findings import findings_summary, unreachable_hosts
from accelerator_portal.site.text_formats import python_range

_PREFERRED_METHODS = frozenset({"pip", "docker"})

_PIP_INSTALL = " -m pip install "
_PIP_DOWNLOAD = " -m pip download --dest wheels "
# Later lines use files that an earlier line downloaded, not a second torch from another index.
_PIP_DOWNLOAD_MORE = f"{_PIP_DOWNLOAD}--find-links wheels "
_PIP_INSTALL_OFFLINE = " -m pip install --no-index --find-links wheels "


@dataclass(frozen=True, slots=True)
class CommandsRow:
    """A row of the commands table: the commands that are the same on all of `systems`.

    The row combines install rows with the same platform, variant, build, method, commands and note.
    `systems` is, for example, `Linux x86-64, ARM64; Windows x86-64`. `python` is a range of
    versions, or `any`.
    """

    platform: str
    platform_id: str
    variant: str
    build: str
    systems: str
    python: str
    method: str
    commands: tuple[str, ...]
    note: str | None
    findings: str
    """The verification results of the commands in words; empty without results."""
    unreachable: tuple[str, ...]
    """The hosts that could not be reached when the commands were checked."""


def default_build_rows(selector: Selector) -> tuple[InstallRow, ...]:
    """Return the install rows of each platform's default build on each machine.

    A machine is an operating system with an architecture. Rows for methods that the portal derives
    from a vendor's method, such as conda, are omitted.
    """
    default_builds = offers(selector)
    return tuple(
        row
        for row in selector.rows
        if row.method in VENDOR_METHODS
        and row.build == default_builds[row.platform].get(machine_of(selector, row))
    )


def preferred_rows(rows: Iterable[InstallRow]) -> list[InstallRow]:
    """Return the install rows for pip and Docker, or all rows where neither method exists.

    The rows are selected separately for each platform, operating system and architecture.
    """
    rows_by_machine = grouped(((row.platform, row.os, row.arch), row) for row in rows)
    row_groups = (
        [row for row in machine_rows if row.method in _PREFERRED_METHODS] or machine_rows
        for machine_rows in rows_by_machine.values()
    )
    return [row for machine_rows in row_groups for row in machine_rows]


def commands_table(selector: Selector, rows: Iterable[InstallRow]) -> list[CommandsRow]:
    """Return the rows of the commands table, sorted by platform, build and method.

    Methods that the portal derives from a vendor's method, such as conda, are omitted.
    """
    groups: dict[tuple[object, ...], list[InstallRow]] = {}
    for row in rows:
        if row.method not in VENDOR_METHODS:
            continue
        column_axes = (a for a in selector.table if a.own_column and not a.many)
        key = (*(getattr(row, axis.field) for axis in column_axes), row.commands, row.note)
        groups.setdefault(key, []).append(row)
    order = {axis: {v.id: n for n, v in enumerate(vs)} for axis, vs in selector.axes.items()}

    def group_order(group: list[InstallRow]) -> tuple[int, ...]:
        choice = selector.first_choice(group[0])
        return tuple(order[axis][choice[axis]] for axis in ("platform", "build", "method"))

    return [_table_row(selector, group) for group in sorted(groups.values(), key=group_order)]


def _table_row(selector: Selector, group: list[InstallRow]) -> CommandsRow:
    row = group[0]
    choice = selector.first_choice(row)
    pythons = {python for member in group for python in member.pythons or ()}
    build = selector.value("build", choice)
    return CommandsRow(
        platform=selector.label("platform", choice),
        platform_id=row.platform,
        variant=selector.label("variant", choice),
        build=message("{build} {day}", build=build.label, day=build.detail)
        if build.detail
        else build.label,
        systems=_systems(selector, group),
        python=python_range(pythons) if pythons else message("any"),
        method=selector.label("method", choice),
        commands=row.commands,
        note=row.note,
        findings=findings_summary(group),
        unreachable=unreachable_hosts(group),
    )


def _systems(selector: Selector, group: list[InstallRow]) -> str:
    """Return the systems of install rows in words: `Linux x86-64, ARM64; Windows x86-64`."""
    os_axis, *other_axes = (axis.id for axis in selector.table if not axis.own_column)
    archs_by_system: dict[str, dict[str, None]] = {}
    for row in group:
        choice = selector.first_choice(row)
        rest = " ".join(selector.label(axis, choice) for axis in other_axes)
        archs_by_system.setdefault(selector.label(os_axis, choice), {})[rest] = None
    return "; ".join(f"{system} {', '.join(rest)}" for system, rest in archs_by_system.items())


@dataclass(frozen=True, slots=True)
class OfflineInstall:
    """The commands that install a platform without network access, for one operating system.

    `download` has the commands to run on a computer with network access. `install` is the command
    to run on the computer without it. `build` is the release that these commands install.
    """

    platform: str
    platform_id: str
    system: str
    build: str
    download: tuple[str, ...]
    install: str


def offline_installs(selector: Selector) -> Iterator[OfflineInstall]:
    """Yield the offline commands for each platform and operating system: CUDA first, then CPU.

    The commands install the newest release that needs only `pip install`. Platforms and systems
    without such a release are omitted.
    """
    rank_by_platform = {"cuda": 0, "cpu": 1}
    newest = _newest_pip_rows(selector.rows)
    for row in sorted(
        newest, key=lambda row: rank_by_platform.get(row.platform, len(rank_by_platform))
    ):
        choice = selector.first_choice(row)
        packages = dict.fromkeys(package for call in row.calls for package in call.packages)
        lines = _lines_without_source(row)
        python = lines[0].partition(_PIP_INSTALL)[0]
        yield OfflineInstall(
            platform=selector.label("platform", choice),
            platform_id=row.platform,
            system=" ".join(selector.label(axis.id, choice) for axis in selector.machine_axes),
            build=row.build,
            download=tuple(
                line.replace(_PIP_INSTALL, _PIP_DOWNLOAD_MORE if n else _PIP_DOWNLOAD)
                for n, line in enumerate(lines)
            ),
            install=f"{python}{_PIP_INSTALL_OFFLINE}{command_line([*packages], row.os)}",
        )


def _lines_without_source(row: InstallRow) -> list[str]:
    """Return the commands of an install row without `source …`, which downloads don't need."""
    return [line for line in row.commands if not line.startswith("source ")]


def _newest_pip_rows(rows: Iterable[InstallRow]) -> Iterable[InstallRow]:
    """Return the install row of the newest release for each platform and operating system.

    A row counts only if its commands, apart from `source …`, are `pip install` with names of
    packages, not addresses of wheels. Nightly builds and rows that are offered only on request
    don't count.
    """
    newest_by_system: dict[tuple[str, str], InstallRow] = {}
    for row in rows:
        only_pip = row.method == "pip" and all(
            _PIP_INSTALL in line and ".whl" not in line for line in _lines_without_source(row)
        )
        if not only_pip or row.build == PREVIEW or row.on_request:
            continue
        newest_row = newest_by_system.setdefault((row.platform, row.os), row)
        if Version(newest_row.build) < Version(row.build):
            newest_by_system[row.platform, row.os] = row
    return newest_by_system.values()


# Lists the keys of each kind of contributed file, from pydantic models, for the reference page.

_TYPE_WORDS = {
    "array": "list of",
    "object": "mapping to",
    "uri": "https address",
    "date": "date",
    "boolean": "true or false",
    "number": "number",
    "integer": "whole number",
}


def record_schemas(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of the mappings in a kind of file, by the name of the mapping.

    `model` is the pydantic model of the whole file. Its schema comes first.
    """
    schema = described_schema(model)
    return {WHOLE_FILE_HEADING: schema, **schema.get("$defs", {})}


def type_words(field: dict[str, Any]) -> str:
    """Return the type of the values that a JSON schema allows, in words: `list of text`."""
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if "enum" in field or "const" in field:
        return " or ".join(map(str, field.get("enum", [field.get("const")])))
    if "anyOf" in field:
        kinds = [type_words(member) for member in field["anyOf"] if member.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    element_key = {"array": "items", "object": "additionalProperties"}.get(field.get("type", ""))
    if element_key:
        names = field.get("propertyNames", {}).get("enum")
        keys = f" (keys: {', '.join(names)})" if names else ""
        return f"{_TYPE_WORDS[field['type']]} {type_words(field.get(element_key, {}))}{keys}"
    kind = _TYPE_WORDS.get(field.get("format", ""), _TYPE_WORDS.get(field.get("type", ""), "text"))
    return ", ".join(filter(None, (kind, field.get("unit"), _limit_words(field))))


def _limit_words(field: dict[str, Any]) -> str:
    """Return the limits of a number or of a text's length, in words: `1 to 100`.

    The result is empty if the JSON schema has no upper limit.
    """
    if max_length := field.get("maxLength"):
        return f"up to {max_length:,} characters"
    high = field.get("maximum")
    if high is None:
        return ""
    if "minimum" in field:
        return f"{field['minimum']:,} to {high:,}"
    above = f"above {field['exclusiveMinimum']:,}, " if "exclusiveMinimum" in field else ""
    return f"{above}up to {high:,}"
