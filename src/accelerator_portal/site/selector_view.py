"""Computes the initial state of the install selector, which pages show before JavaScript runs.

An axis is one setting of the selector, such as the operating system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from accelerator_portal.catalog.message import and_list, comma_list, message
from accelerator_portal.install.commands import CONTAINER_METHODS, UNPINNED_METHODS, venv_commands
from accelerator_portal.install.resolution import machine_of, offers, resolve
from accelerator_portal.install.rows import (
    PREVIEW,
    STABLE,
    Axis,
    Choice,
    Finding,
    InstallRow,
    Value,
    axes_by_rank,
)
from accelerator_portal.install.selector import Selector

BuildsByPlatform = Mapping[str, Mapping[str, str]]
"""The build of each platform for each machine, by platform id and machine (`linux x86_64`)."""


@dataclass(frozen=True, slots=True)
class ValueView:
    """A value of an axis, shown as a radio button with a label and a detail in smaller text.

    `checked` is true for the selected value. `reason` says why the value is not available on the
    reader's machine, and is empty if the value is available. `hidden` is true if the value has
    neither a command nor a `reason`. `hidden` is also true for the release, such as `2.15.0`, that
    the value `stable` stands for.
    """

    id: str
    label: str
    detail: str
    checked: bool
    reason: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class AxisView:
    """An axis of the selector, shown as a group of radio buttons.

    `values` are shown directly. `more` are values that readers see after they open the section with
    the label `more_label`. `group` is the part of the form: `main`, `settings` or `format`.
    """

    id: str
    label: str
    group: str
    values: tuple[ValueView, ...]
    more: tuple[ValueView, ...]
    more_label: str

    @property
    def open(self) -> bool:
        """Whether the section with the values `more` is open, because one of them is selected."""
        return any(value.checked for value in self.more)

    @property
    def empty(self) -> bool:
        """Whether all values in `values` and `more` are hidden."""
        return all(value.hidden for value in (*self.values, *self.more))


@dataclass(frozen=True, slots=True)
class InstallScript:
    """The lines that a reader pastes into a terminal.

    They create an environment, install PyTorch and check the installation. `environment` and
    `check` can be empty.
    """

    environment: str
    commands: str
    check: str


@dataclass(frozen=True, slots=True)
class DefaultChoice:
    """The default selection for an operating system.

    `choice` has the id of the selected value, by id of the axis. `summary` is one line with the
    selected settings, and `script` has the lines to paste into a terminal.
    """

    choice: Mapping[str, str]
    summary: str
    script: InstallScript


@dataclass(frozen=True, slots=True)
class SelectorView:
    """The selector's initial state: the axes in the order of the page, and the default selection.

    `row` is the install row of the selection. `platform` is the label of the selected platform.
    `summary` is one line with the selected settings, and `script` has the lines to paste into a
    terminal. `finding` is the verification result for the selected Python version, or None.
    """

    axes: tuple[AxisView, ...]
    row: InstallRow
    platform: str
    summary: str
    script: InstallScript
    finding: Finding | None
    first: Mapping[str, DefaultChoice]
    """The default selection for each operating system that is not selected initially, by id of the
    operating system."""

    def group(self, name: str) -> list[AxisView]:
        """Return the axes whose `group` is `name`: `main`, `settings` or `format`."""
        return [axis for axis in self.axes if axis.group == name]


def selector_view(selector: Selector) -> SelectorView:
    """Return the initial state of the selector.

    Raises LookupError if the selector has no default selection, or if a default selection has no
    install row.
    """
    default_choices = [_default_choice(selector, start) for start in selector.starts]
    if not default_choices:
        raise LookupError("there are no install options")
    choice, row, default_choice = default_choices[0]
    builds_by_platform = offers(selector)
    return SelectorView(
        tuple(
            _axis_view(selector, axis, choice, builds_by_platform)
            for axis in axes_by_rank(selector.table)
        ),
        row,
        selector.label("platform", choice),
        default_choice.summary,
        default_choice.script,
        row.finding(choice["python"]),
        {os_choice["os"]: os_default for os_choice, _, os_default in default_choices[1:]},
    )


def _default_choice(selector: Selector, start: Choice) -> tuple[Choice, InstallRow, DefaultChoice]:
    requested = {axis.id: start[axis.id] for axis in selector.table if axis.is_machine}
    resolved = resolve(selector, {**requested, "platform": start["platform"]})
    if resolved.choice is None or resolved.row is None:
        raise LookupError(f"no install option for {start}")
    return (
        resolved.choice,
        resolved.row,
        DefaultChoice(
            dict(resolved.choice),
            choice_summary(selector, resolved.choice, resolved.row),
            install_script(resolved.row, resolved.choice),
        ),
    )


def choice_summary(selector: Selector, choice: Choice, row: InstallRow) -> str:
    """Return the settings of a selection as one line: `PyTorch 2.15.0 · Linux · x86-64 · …`.

    The Python version is omitted if the install row is for all versions (`row.pythons` is None).
    """
    settings_axes = [axis for axis in axes_by_rank(selector.table) if axis.group == "settings"]
    shown_axes = [axis for axis in settings_axes if axis.id != "python" or row.pythons is not None]
    labels = {axis.id: selector.label(axis.id, choice) for axis in shown_axes}
    labels["build"] = message("PyTorch {build}", build=build_name(choice["build"]))
    if "python" in labels:
        labels["python"] = f"Python {labels['python']}"
    return reduce(lambda one, more: message("{one} · {more}", one=one, more=more), labels.values())


def install_script(row: InstallRow, choice: Choice) -> InstallScript:
    """Return the lines to paste into a terminal for an install row.

    The environment gets the Python version of `choice`.
    """
    environment = venv_commands(row.method, row.os) or ""
    check = row.check.command if row.check and row.method not in CONTAINER_METHODS else ""
    return InstallScript(
        environment.replace("{python}", choice["python"]), "\n".join(row.commands), check
    )


def _axis_view(
    selector: Selector, axis: Axis, choice: Choice, builds_by_platform: BuildsByPlatform
) -> AxisView:
    all_values = selector.values(axis.id, choice["platform"])
    views = {
        value.id: _value_view(selector, axis, value, choice, builds_by_platform)
        for value in all_values
    }
    disclosed_ids = [name for name in selector.more.get(axis.id, ()) if name in views]
    visible_views = tuple(view for name, view in views.items() if name not in disclosed_ids)
    disclosed_views = tuple(view for name, view in views.items() if name in disclosed_ids)
    return AxisView(
        axis.id,
        axis.legend,
        axis.group,
        visible_views or disclosed_views,
        disclosed_views if visible_views else (),
        axis.more_label,
    )


def _value_view(
    selector: Selector,
    axis: Axis,
    value: Value,
    choice: Choice,
    builds_by_platform: BuildsByPlatform,
) -> ValueView:
    machine = machine_of(selector, choice)
    newest = builds_by_platform[choice["platform"]].get(machine, "")
    detail, reason, hidden = value.detail, "", False
    checked = choice[axis.id] == value.id
    if axis.id == "platform":
        build = builds_by_platform[value.id].get(machine)
        detail = build_name(build) if build else ""
        reason = "" if build else other_machines(selector, builds_by_platform[value.id], choice)
    elif axis.id == "build" and value.id == STABLE:
        detail, checked = build_name(newest), choice["build"] == newest
    elif axis.is_machine:
        other_machine = machine_of(selector, choice | {axis.id: value.id})
        builds = builds_by_platform[choice["platform"]]
        if not _is_offered(builds, axis, value.id, other_machine):
            reason = _not_for_platform(selector, choice)
    else:
        is_available = value.id in _available_values(selector, axis, choice)
        hidden = value.id == newest or not is_available
        checked = checked and not hidden
        if axis.id == "method" and not is_available:
            reason, hidden = _method_machines(selector, choice, value.id), False
        elif axis.id in {"method", "variant"} and not hidden:
            detail = _value_detail(selector, choice, axis, value.id)
    return ValueView(value.id, value.label, detail, checked, reason, hidden)


def _value_detail(selector: Selector, choice: Choice, axis: Axis, value: str) -> str:
    """Return the detail that the selector shows for a method or variant: `2.8.0, driver ≥ 580`.

    `value` is the id of the method or variant. If readers who choose it get a different release
    than the selected one, the detail names that release. A nightly build is always named. For a
    variant, the oldest driver follows. For a method whose commands name no version, the detail is
    `not pinned`. The detail can be empty.
    """
    if value in UNPINNED_METHODS:
        return message("not pinned")
    requested = {a.id: choice[a.id] for a in selector.table if a.is_machine}
    resolved_choice = resolve(
        selector, {**requested, "platform": choice["platform"], axis.id: value}
    ).choice
    build = resolved_choice["build"] if resolved_choice else choice["build"]
    build_detail = "" if build == choice["build"] and build != PREVIEW else build_name(build)
    driver = _driver_words(selector, choice, value) if axis.id == "variant" else ""
    details = [text for text in (build_detail, driver) if text]
    return comma_list(details) if details else ""


def _method_machines(selector: Selector, choice: Choice, method: str) -> str:
    """Return the machines on which the selected platform offers a method: `Linux only`.

    If the platform does not offer the method at all, the text is `not for ROCm`.
    """
    rows = selector.rows_of(choice["platform"])
    builds_by_machine = {
        machine_of(selector, row): row.build for row in rows if row.method == method
    }
    if not builds_by_machine:
        return _not_for_platform(selector, choice)
    return other_machines(selector, builds_by_machine, choice)


def _not_for_platform(selector: Selector, choice: Choice) -> str:
    """Return the text for a value that the selected platform does not have: `not for ROCm`."""
    return message("not for {platform}", platform=selector.label("platform", choice))


def build_name(build: str) -> str:
    """Return the display name of a build: `nightly` for `preview`, else the build unchanged."""
    return message("nightly") if build == PREVIEW else build


def other_machines(selector: Selector, offered: Mapping[str, str], choice: Choice) -> str:
    """Return a text that explains why a platform has no build for the machine of `choice`.

    `offered` has the platform's builds by machine, such as `linux x86_64`. If the platform has
    builds for the operating system of `choice`, the text names their architectures: `x86-64 only`.
    Otherwise, it names the operating systems: `Linux only`. Without builds, it is `no commands`.
    """
    machines = [machine.split() for machine in offered]
    for index, axis in enumerate(selector.machine_axes):
        matching_machines = [machine for machine in machines if machine[index] == choice[axis.id]]
        if machines and not matching_machines:
            labels = {value.id: value.label for value in selector.axes[axis.id]}
            names = dict.fromkeys(labels[machine[index]] for machine in machines)
            return message("{systems} only", systems=and_list(names))
        machines = matching_machines
    return message("no commands")


def _is_offered(machines: Mapping[str, str], axis: Axis, value: str, machine: str) -> bool:
    """Return whether a platform has builds for an operating system or an architecture.

    `machines` has the platform's builds by machine, such as `linux x86_64`. If `axis` is `os`, the
    result states whether any of these machines has the operating system `value`. Otherwise, it
    states whether `machine` is among them.
    """
    if axis.id == "os":
        return any(offered_machine.split()[0] == value for offered_machine in machines)
    return machine in machines


def _available_values(selector: Selector, axis: Axis, choice: Choice) -> set[str]:
    """Return the values of an axis for which there is a command.

    Only install rows of the selected platform and the selected machine count.
    """
    machine = machine_of(selector, choice)
    rows = selector.rows_of(choice["platform"])
    machine_rows = [row for row in rows if machine_of(selector, row) == machine]
    if axis.id == "python":
        return {python for row in machine_rows for python in row.pythons or ()}
    return {value for row in machine_rows for value in selector.ids(row, axis)}


def _driver_words(selector: Selector, choice: Choice, variant: str) -> str:
    """Return the oldest driver that supports a variant: `driver ≥ 580`; empty if unknown."""
    bounds = selector.drivers.get(choice["platform"])
    oldest = bounds.oldest.get(variant, {}).get(choice["os"]) if bounds else None
    return message("driver ≥ {version}", version=oldest) if oldest else ""
