"""The selector as a page shows it before its script runs."""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_portal.install.axes import STABLE, Axis, Choice, Value, by_rank
from accelerator_portal.install.commands import new_environment
from accelerator_portal.install.rows import Finding, InstallRow
from accelerator_portal.install.selector import Selector


@dataclass(frozen=True, slots=True)
class ValueView:
    """One radio button; `reason` says what stands against it, empty where nothing does."""

    id: str
    label: str
    detail: str
    checked: bool
    reason: str


@dataclass(frozen=True, slots=True)
class AxisView:
    """One fieldset; `more` are values that stand behind a disclosure, which `more_label` names."""

    id: str
    label: str
    values: tuple[ValueView, ...]
    more: tuple[ValueView, ...]
    more_label: str

    @property
    def open(self) -> bool:
        """Whether the disclosure holds the chosen value."""
        return any(value.checked for value in self.more)


@dataclass(frozen=True, slots=True)
class SelectorView:
    """The fieldsets, the row that the choice leads to, and its fresh environment."""

    axes: tuple[AxisView, ...]
    row: InstallRow
    platform: str
    environment: str | None
    finding: Finding | None


def selector_view(selector: Selector, choice: Choice) -> SelectorView:
    """Return the page's first state; `choice` must be valid."""
    row = selector.row(choice)
    if row is None:
        raise LookupError(f"no install option for {choice}")
    environment = new_environment(row.method, row.os)
    return SelectorView(
        tuple(_axis(selector, axis, choice) for axis in by_rank(selector.table)),
        row,
        selector.label("platform", choice),
        environment.replace("{python}", choice["python"]) if environment else None,
        _finding(row, choice["python"]),
    )


def _finding(row: InstallRow, python: str) -> Finding | None:
    """What is known of the row's versions for the chosen Python."""
    known = dict(zip(row.pythons or (), row.findings, strict=False))
    return known.get(python)


def reason(selector: Selector, choice: Choice, axis: str, value: str) -> str:
    """Say in a few words why a value cannot go with the rest of the choice."""
    against = selector.blocked_by(choice, axis, value)
    if not against:
        return ""
    names = (a.name(selector.value(a.id, choice)) for a in selector.table if a.id in against)
    return "not with " + ", ".join(names)


def _axis(selector: Selector, axis: Axis, choice: Choice) -> AxisView:
    known = selector.values(axis.id, choice["platform"])
    views = [_value(selector, axis.id, value, choice) for value in known]
    newest = selector.rows_with("build", STABLE)
    shown = (axis.at_once and axis.at_once(newest)) or {value.id for value in known}
    first = tuple(view for view in views if view.id in shown)
    more = tuple(view for view in views if view.id not in shown)
    return AxisView(axis.id, axis.legend, first or more, more if first else (), axis.more_label)


def _value(selector: Selector, axis: str, value: Value, choice: Choice) -> ValueView:
    checked = choice[axis] == value.id
    why = "" if checked else reason(selector, choice, axis, value.id)
    return ValueView(value.id, value.label, value.detail, checked, why)
