"""Finds what each selection of the install selector resolves to, and writes its data for the page.

A reader's selections are called wishes. The values on the other axes are derived from the wishes;
the newest release is preferred. The machine (operating system and architecture) is never changed:
if a platform has no command for the machine, there is no row. The page's script
(`selector-model.js`) does the same, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from packaging.version import Version
from pydantic import TypeAdapter

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.versions_file import Ended
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.install.commands import (
    CONTAINER_METHODS,
    UNPINNED_METHODS,
    check_command,
    pip_install_command,
    venv_commands,
)
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import (
    PREVIEW,
    STABLE,
    Axis,
    Choice,
    InstallRow,
    Value,
    axes_by_weight,
)
from accelerator_portal.install.selector import Selector

# Methods that install ready-made builds. Other methods are used only if none of these has a row.
READY_METHODS = frozenset({"pip", "uv", "docker"})


# A row and one of its Python versions, which is empty if Python does not matter.
_RowAndPython = tuple[InstallRow, str]


@dataclass(frozen=True, slots=True)
class Resolution:
    """The install row and the complete choice that fit a reader's wishes best.

    A wish is a value that the reader selected on an axis. `choice` and `row` are None if the
    platform has no row for the reader's machine, card and driver. `unmet` has the axis id of each
    wish that is not fulfilled, oldest wish first. An unfulfilled wish conflicts with the platform,
    the machine or more recent wishes.
    """

    platform: str
    choice: Choice | None
    row: InstallRow | None
    unmet: tuple[str, ...] = ()


def resolve(
    selector: Selector,
    wishes: Mapping[str, str],
    admits: Callable[[InstallRow], bool] = lambda _: True,
) -> Resolution:
    """Return the install row and complete choice that fit a reader's wishes best.

    `wishes` maps the ids of axes to the ids of the values that the reader selected, the oldest
    selection first. If wishes conflict, the more recent one wins, but the platform and the machine
    (operating system and architecture) always apply. If `wishes` has no operating system or
    architecture, the value of the selector's default choice (`starts`) is used. `admits` returns
    whether the reader's card and driver can run a row. If no row remains, `row` and `choice` of the
    result are None. Raises LookupError if the selector has no rows at all.
    """
    start = _start_choice(selector, wishes)
    machine = {a.id: wishes.get(a.id, start[a.id]) for a in selector.table if a.is_machine}
    platform = wishes.get("platform") or _default_platform(selector, start, machine)
    rows = (row for row in selector.rows_of(platform) if _is_for_machine(row, machine))
    candidates = [
        (row, python)
        for row in rows
        if admits(row)
        for python in (row.pythons if row.pythons is not None else ("",))
    ]
    if not candidates:
        return Resolution(platform, None, None)
    unmet: list[str] = []
    for axis, value in reversed(_adjustable_wishes(selector, wishes, platform)):
        remaining = _with_value(candidates, axis, value)
        if remaining:
            candidates = remaining
        else:
            unmet.append(axis.id)
    axes = axes_by_weight(selector.table)
    row, python = min(candidates, key=lambda point: _preference_key(selector, axes, start, point))
    values = {axis.id: getattr(row, axis.field) for axis in selector.table if not axis.many}
    values["python"] = python or wishes.get("python") or start["python"]
    choice = {axis.id: values[axis.id] for axis in selector.table}
    return Resolution(platform, choice, row, tuple(reversed(unmet)))


@cached_by_owner
def offers(selector: Selector) -> dict[str, dict[str, str]]:
    """Return the build that readers get by default, by platform id and machine.

    For example, `{"cuda": {"linux x86_64": "2.15.0"}}`. Machines without a build are absent.
    """
    return {
        value.id: dict(_default_builds_of(selector, value.id))
        for value in selector.axes["platform"]
    }


def _default_builds_of(selector: Selector, platform: str) -> Iterator[tuple[str, str]]:
    rows = selector.rows_of(platform)
    for machine, row in {machine_of(selector, row): row for row in rows}.items():
        wishes = {axis.id: getattr(row, axis.field) for axis in selector.table if axis.is_machine}
        best_row = resolve(selector, {**wishes, "platform": platform}).row
        if best_row:
            yield machine, best_row.build


def machine_of(selector: Selector, row: InstallRow | Choice) -> str:
    """Return the operating system and architecture of a row or choice, such as `linux x86_64`."""
    if isinstance(row, dict):
        return " ".join([row[axis.id] for axis in selector.machine_axes])
    return " ".join([getattr(row, axis.field) for axis in selector.machine_axes])


def _start_choice(selector: Selector, wishes: Mapping[str, str]) -> Choice:
    """Return the selector's default choice for the operating system in `wishes`.

    If this operating system has no default choice, returns the first default choice.
    """
    if not selector.starts:
        raise LookupError("there are no install options")
    starts = (start for start in selector.starts if start["os"] == wishes.get("os"))
    return next(starts, selector.starts[0])


def _default_platform(selector: Selector, start: Choice, machine: Mapping[str, str]) -> str:
    """Return the platform id to use if the reader selected no platform.

    This is the platform of `start` if it has a row for `machine`, else the first platform with a
    row for `machine`. If no platform has such a row, it is the platform of `start`.
    """
    platform_ids = [start["platform"], *(value.id for value in selector.axes["platform"])]
    for platform in platform_ids:
        if any(_is_for_machine(row, machine) for row in selector.rows_of(platform)):
            return platform
    return start["platform"]


def _is_for_machine(row: InstallRow, machine: Mapping[str, str]) -> bool:
    return all(getattr(row, axis) == value for axis, value in machine.items())


def _adjustable_wishes(
    selector: Selector, wishes: Mapping[str, str], platform: str
) -> list[tuple[Axis, str]]:
    """Return the wishes that `resolve` may leave unmet, as pairs of axis and value, oldest first.

    Omits the machine and the platform, which always apply. Also omits the build `stable`, variants
    that `platform` does not have, and unknown axes.
    """
    axes = {axis.id: axis for axis in selector.table}
    variant_ids = {value.id for value in selector.values("variant", platform)}
    return [
        (axes[name], value)
        for name, value in wishes.items()
        if name in axes
        and not axes[name].is_machine
        and name != "platform"
        and (name, value) != ("build", STABLE)
        and (name != "variant" or value in variant_ids)
    ]


def _with_value(candidates: list[_RowAndPython], axis: Axis, value: str) -> list[_RowAndPython]:
    """Return the pairs of a row and a Python version that have the value `value` on an axis.

    On the axis `python`, if no pair has this version, returns the pairs with a row that is for any
    Python version.
    """
    if axis.id != "python":
        return [point for point in candidates if getattr(point[0], axis.field) == value]
    matching = [point for point in candidates if point[1] == value]
    return matching or [point for point in candidates if point[1] == ""]


def _preference_key(
    selector: Selector, axes: tuple[Axis, ...], start: Choice, point: _RowAndPython
) -> tuple[int, ...]:
    """Return the sort key of `point`, a row and one of its Python versions. Smaller is better.

    The first four numbers of the key are 1 in these cases, otherwise 0: the row's versions don't
    resolve for the Python version, the build is a nightly build, the method is not in
    READY_METHODS, and only readers who select the row's release get the row (`on_request`). Then
    comes a number for each of `axes`: -1 for the value of the choice `start`, otherwise the
    value's position on the axis.
    """
    row, python = point
    finding = row.finding(python)
    positions = []
    for axis in axes:
        value = python if axis.id == "python" else str(getattr(row, axis.field))
        is_default = value == start.get(axis.id)
        positions.append(-1 if is_default else selector.place(axis.id, value))
    return (
        int(finding is not None and finding.kind == "none"),
        int(row.build == PREVIEW),
        int(row.method not in READY_METHODS),
        int(row.on_request),
        *positions,
    )


@dataclass(frozen=True, slots=True)
class SupportedReleases:
    """The newest and the oldest PyTorch release that a platform supports; None if not known.

    `has_command` says whether the platform has commands that install releases, apart from builds
    from source. If it is true, `newest` and `oldest` are releases that these commands install.
    If it is false, they are releases in `compatibility.yaml`. `behind` is the number of PyTorch's
    minor releases after `newest`.
    """

    newest: str | None = None
    oldest: str | None = None
    behind: int | None = None
    has_command: bool = False


def supported_releases(catalog: Catalog, platform: Platform) -> SupportedReleases:
    """Return the range of PyTorch releases that `platform` supports, and its release lag."""
    rows = rows_by_platform(catalog)[platform.id]
    installed = {row.build for row in rows if row.build != PREVIEW and row.method != "source"}
    versions = installed or {row.torch for row in platform.compatibility.rows}
    if not versions:
        return SupportedReleases()
    ordered = sorted(versions, key=Version)
    later_minors = {
        minor_release(release.version)
        for release in catalog.releases.releases
        if minor_release(release.version) > minor_release(ordered[-1])
    }
    return SupportedReleases(ordered[-1], ordered[0], len(later_minors), bool(installed))


def minor_release(version: str) -> tuple[int, ...]:
    """Return the minor release that a version belongs to: (2, 14) for 2.14.1."""
    return Version(version).release[:2]


# Converts the install selector to JSON data for the page's script.


@dataclass(frozen=True, slots=True)
class Card:
    """A hardware generation: its name, a remark, and the install rows that its cards can run.

    `ranges` has the positions of these rows, as `row_ranges` returns them. `uncertain` is true if
    no source confirms that any of these rows runs.
    """

    name: str
    remark: str = ""
    uncertain: bool = False
    ranges: tuple[int, ...] = ()


def payload(
    selector: Selector, cards: Mapping[str, Mapping[str, Card]] | None = None
) -> dict[str, Any]:
    """Return the selector's data for the page's script, as data for JSON.

    `cards` has the cards by platform id and card id. The result has the keys of `payload_overview`,
    and `rows`: the published fields of each install row, without empty ones.
    """
    adapter = TypeAdapter(type(selector.rows[0]) if selector.rows else InstallRow)
    rows = [_row_data(row, adapter) for row in selector.rows]
    return {**payload_overview(selector, cards), "rows": rows}


def _row_data(row: InstallRow, adapter: TypeAdapter[InstallRow]) -> dict[str, Any]:
    if row.findings and len(set(row.findings)) == 1:
        row = replace(row, findings=row.findings[:1] if row.findings[0] else ())
    data = adapter.dump_python(row, exclude_none=True)
    return {name: value for name, value in data.items() if value not in ((), False)}


def payload_overview(
    selector: Selector, cards: Mapping[str, Mapping[str, Card]] | None = None
) -> dict[str, Any]:
    """Return the part of the payload that the page's script loads first, without rows and texts.

    It has the axes with their values, the default choices, and the variants, default builds,
    drivers and cards of all platforms. `cards` has the cards by platform id and card id.
    """
    return {
        "axes": {axis: _value_lists(values) for axis, values in selector.axes.items()},
        "variants": {
            platform: _value_lists(values) for platform, values in selector.variants.items()
        },
        "order": [axis.id for axis in selector.table],
        "machine": [axis.id for axis in selector.table if axis.is_machine],
        "weights": [axis.id for axis in axes_by_weight(selector.table)],
        "ready": sorted(READY_METHODS),
        "inside": sorted(CONTAINER_METHODS),
        "unpinned": sorted(UNPINNED_METHODS),
        "offers": offers(selector),
        "more": selector.more,
        "starts": [dict(start) for start in selector.starts],
        "drivers": dict(selector.drivers),
        "cards": {
            platform: {
                key: [
                    card.name,
                    *((card.remark, card.uncertain, *card.ranges) if card.ranges else ()),
                ]
                for key, card in platform_cards.items()
            }
            for platform, platform_cards in (cards or {}).items()
        },
        "environments": _environment_commands(selector),
        "ended": {f"{ended.os} {ended.arch}": _ended_machine(ended) for ended in selector.ended},
    }


def _environment_commands(selector: Selector) -> dict[str, dict[str, str]]:
    """Return the commands that create a new environment, by method and operating system."""
    commands_by_method: dict[str, dict[str, str]] = {}
    for row in selector.rows:
        line = venv_commands(row.method, row.os)
        if line:
            commands_by_method.setdefault(row.method, {})[row.os] = line
    return commands_by_method


def _ended_machine(ended_entry: Ended) -> dict[str, Any]:
    """Return the commands that install the last release for a machine such as an Intel Mac.

    Newer releases have no wheels for this machine. The page's script shows the result like a row.
    The keys are `version`, `platforms`, `method`, `environment`, `commands`, `check` and `checks`.
    """
    environment = venv_commands("pip", ended_entry.os) or ""
    return {
        "version": ended_entry.version,
        "platforms": list(ended_entry.platforms),
        "method": "pip",
        "environment": environment.replace("{python}", ended_entry.python),
        "commands": pip_install_command(ended_entry.packages, ended_entry.os),
        "check": check_command("import torch\nprint(torch.__version__)", ended_entry.os),
        "checks": {
            id_: check_command(code, ended_entry.os) for id_, code in ended_entry.checks.items()
        },
    }


def _value_lists(values: Sequence[Value]) -> list[list[str]]:
    return [[v.id, v.label, v.detail] if v.detail else [v.id, v.label] for v in values]
