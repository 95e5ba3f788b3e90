"""The selector as a page shows it before its script runs."""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_portal.install.commands import new_environment
from accelerator_portal.install.rows import PREVIEW, Finding, InstallRow
from accelerator_portal.install.selector import STABLE, Choice, Selector, Value

AXES = {
    "build": "Build",
    "os": "Operating system",
    "arch": "Architecture",
    "python": "Python",
    "method": "Method",
    "platform": "Compute platform",
    "variant": "Variant",
}


MORE = {"build": "Earlier releases", "python": "Other versions"}


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
        tuple(_axis(selector, axis, choice) for axis in AXES),
        row,
        selector.label("platform", choice),
        environment.replace("{python}", choice.python) if environment else None,
        _finding(row, choice.python),
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
    return "not with " + ", ".join(_shown(selector, choice, other) for other in against)


def _shown(selector: Selector, choice: Choice, axis: str) -> str:
    """The chosen value as a reason names it: of a build its version, if it has one."""
    value = selector.value(axis, choice)
    if axis == "build" and value.id == STABLE:
        return value.detail
    return f"Python {value.label}" if axis == "python" else value.label


def _axis(selector: Selector, axis: str, choice: Choice) -> AxisView:
    known = selector.axes.get(axis) or selector.variants.get(choice.platform, ())
    views = [(value, _value(selector, axis, value, choice)) for value in known]
    shown = _shown_at_once(selector, axis) or {value.id for value in known}
    first = tuple(view for value, view in views if value.id in shown)
    more = tuple(view for value, view in views if value.id not in shown)
    return AxisView(axis, AXES[axis], first or more, more if first else (), MORE.get(axis, ""))


def _shown_at_once(selector: Selector, axis: str) -> set[str]:
    """The values that do not stand behind a disclosure; none means all."""
    if axis == "build":
        return {STABLE, PREVIEW}
    if axis == "python":  # the newest release's, without the free-threaded ones
        rows = (row for row in selector.rows if row.build == STABLE)
        return {p for row in rows for p in row.pythons or () if not p.endswith("t")}
    return set()


def _value(selector: Selector, axis: str, value: Value, choice: Choice) -> ValueView:
    checked = getattr(choice, axis) == value.id
    why = "" if checked else reason(selector, choice, axis, value.id)
    return ValueView(value.id, value.label, value.detail, checked, why)
