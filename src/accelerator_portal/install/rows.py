"""Defines the rows of the install selector, its axes (what readers select), and their labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.versions_file import Lifecycle
from accelerator_portal.catalog.message import message
from accelerator_reports.files.fields import DESCRIBED, UNPUBLISHED, Arch, Method, Os
from accelerator_reports.files.sources import Source

PREVIEW = "preview"
NO_VARIANT = "default"

DerivedMethod = Literal["uv-auto", "pyproject", "requirements", "conda", "dockerfile"]
"""Methods of rows that the portal derives from vendors' rows; see `install/commands.py`."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """Software to install before the commands run."""

    __pydantic_config__ = DESCRIBED

    name: str
    """Its name."""
    version: str | None = None
    """A version, or a specifier such as `>=580`."""
    url: str | None = None
    """The address of the download page."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The command that checks an installation."""

    __pydantic_config__ = DESCRIBED

    command: str
    """The command."""
    prints: str
    """The output that it must print; empty if the output is not known."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that the reader creates before running the commands."""

    __pydantic_config__ = DESCRIBED

    name: str
    """The name of the file."""
    text: str
    """Its content."""


@dataclass(frozen=True, slots=True)
class Container:
    """The image that a Docker command runs, and the options of `docker run`."""

    image: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PipCall:
    """One call of pip or uv: its requirements (`packages`), and its indexes.

    If `index` is None, packages come from PyPI.
    """

    packages: tuple[str, ...]
    index: str | None = None
    extra_index: str | None = None
    pre: bool = False
    """Whether prereleases are allowed."""
    backend: str | None = None
    """uv's name for the build of PyTorch, such as `cu130`. If this name is set, `index` is None."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether the versions that a command installs exist together, and how this was checked."""

    __pydantic_config__ = DESCRIBED

    kind: Literal["installed", "found", "none", "named", "unchecked"]
    """`installed`: installed and imported. `found`: the versions resolve. `none`: they don't
    resolve. `named`: only a document states the version. `unchecked`: they were not checked."""
    words: str
    """The sentences that readers see."""
    host: Annotated[str, UNPUBLISHED] = ""
    """The host that could not be reached, if the versions were not checked for this reason."""
    brief: Annotated[str, UNPUBLISHED] = ""
    """The sentences without `host`, for tables that name it once; empty without a host."""


@dataclass(frozen=True, slots=True)
class InstallRow:
    """The commands for one valid selection in the install selector."""

    __pydantic_config__ = DESCRIBED

    platform: str
    """The platform's id."""
    variant: str
    """The id of the variant; `default` if the platform has no variants."""
    build: str
    """A release's version, or `preview`."""
    os: Os
    """The operating system."""
    arch: Arch
    """The architecture."""
    method: Method | DerivedMethod
    """The format of the commands."""
    commands: tuple[str, ...]
    """The lines of the commands."""
    option: Annotated[str, UNPUBLISHED]
    """The id of the option in `install.yaml`."""
    pythons: tuple[str, ...] | None = None
    """The Python versions to which the commands apply. None if the version does not matter."""
    prerequisites: tuple[Prerequisite, ...] = ()
    """Software to install before."""
    check: CheckLine | None = None
    """The command that checks the installation."""
    note: str | None = None
    """A sentence that is shown with the commands."""
    stage: Lifecycle | None = None
    """The lifecycle of the version."""
    calls: Annotated[tuple[PipCall, ...], UNPUBLISHED] = ()
    """The calls of pip or uv in the commands, in order, without other steps."""
    findings: tuple[Finding | None, ...] = ()
    """A finding, or None, for each of `pythons`. It has one item if `pythons` is None, and is empty
    until findings are added. In published data, one item applies to all versions."""
    container: Annotated[Container | None, UNPUBLISHED] = None
    """The container that the commands start, if they are one `docker run`."""
    files: tuple[TextFile, ...] = ()
    """Files to create before the commands run."""
    on_request: bool = False
    """Whether the selector offers the row only to readers who select its release."""
    named: Annotated[Source | None, UNPUBLISHED] = None
    """The document that states the version that the commands install, or None."""

    def finding(self, python: str) -> Finding | None:
        """Return the finding for a Python version, or None if there is none."""
        return dict(zip(self.pythons or (), self.findings, strict=False)).get(python)


# Lists the labels of operating systems, architectures and formats in the install selector.

OS_LABELS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
ARCH_LABELS = {
    "x86_64": "x86-64",
    "aarch64": "ARM64",
    "s390x": "s390x",
    "ppc64le": "ppc64le",
    "riscv64": "RISC-V",
}
# In the order of the tabs on the command box.
METHOD_LABELS = {
    "pip": "pip",
    "uv": "uv",
    "uv-auto": message("uv (detect GPU)"),
    "pyproject": "pyproject.toml",
    "requirements": "requirements.txt",
    "conda": "conda",
    "docker": "Docker",
    "dockerfile": "Dockerfile",
    "libtorch": "LibTorch",
    "source": message("Source"),
}


def pythons_newest_first(versions: Iterable[str]) -> list[str]:
    """Return Python versions newest first, with free-threaded builds after all others."""

    def order(python: str) -> tuple[bool, int]:
        return python.endswith("t"), -int(python.removeprefix("3.").removesuffix("t"))

    return sorted(versions, key=order)


# Lists the axes of the install selector: what readers select, such as the operating system.
#
# A choice has one value on each axis. A row (`InstallRow`) has the commands for all choices that
# its values cover.
#
# The table AXES determines the keys of a choice, the fieldsets on the page with their order and
# labels, the data for the page's script and the keys of rows. To add an axis, add an entry to AXES,
# and a field to `InstallRow` that `expand` fills. docs/how-to-add.md says which axes need more.

STABLE = "stable"


class Value(NamedTuple):
    """A value of an axis: its stable id, its label, and a detail in smaller text."""

    id: str
    label: str
    detail: str = ""


Choice = dict[str, str]
"""Maps the ids of axes to the ids of the values that a reader selected, such as `os` to `linux`."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of the selector, for example the operating system."""

    id: str
    """Its name in addresses and data; never changes."""
    legend: str
    """Its name on the page."""
    rank: int
    """Its position on the page. Axes whose value every reader knows come first; axes whose default
    is mostly right come last."""
    values: Callable[[Catalog, Sequence[InstallRow]], tuple[Value, ...]] | None
    """A function that returns its values in order of preference, which is also the order on the
    page. None if each platform has its own values."""
    many: bool = False
    """Whether a row can have several values on this axis. The field of the row is then a tuple, or
    None for any value."""
    own_column: bool = False
    """Whether it has its own column in tables of commands. The values of axes without an own column
    are joined in the column of the system."""
    is_machine: bool = False
    """Whether it describes the reader's machine, so that no other selection changes its value."""
    group: Literal["main", "settings", "format"] = "settings"
    """Where its values are shown. `main`: always visible, at the top. `settings`: in the disclosure
    "settings" below. `format`: as tabs on the command box."""
    weight: int = 9
    """Its priority when the selector derives values. Axes with a lower weight have priority."""
    at_once: Callable[[Catalog, Sequence[InstallRow]], Collection[str]] | None = None
    """A function that returns the ids of the values that are shown at once. The other values are in
    a disclosure. None if all values are shown."""
    more_label: str = ""
    """The label of the disclosure with the values that are not shown at once."""

    @property
    def field(self) -> str:
        """The name of the axis's field in InstallRow and of its column in the page's data."""
        return f"{self.id}s" if self.many else self.id


def build_id(catalog: Catalog, build: str) -> str:
    """Return `stable` if `build` is the newest release, else `build`, for use in links.

    `build` is a release's version or `preview`. A link with `stable` stays current after the next
    release.
    """
    return STABLE if build == catalog.releases.newest.version else build


def _build_values(catalog: Catalog, _: Sequence[InstallRow]) -> tuple[Value, ...]:
    """Return the values of the axis `build`, in order.

    They are `stable`, the newest release, the nightly build, and the earlier releases.

    If a reader selects `stable`, they get the newest release that fits their other selections.
    """
    newest, *earlier = sorted(catalog.releases.by_version, key=Version, reverse=True)
    preview = catalog.releases.preview.version or ""
    return (
        Value(STABLE, message("Stable")),
        Value(newest, newest),
        Value(PREVIEW, message("Nightly"), preview.removesuffix(".dev0")),
        *(Value(version, version) for version in earlier),
    )


def _values_with_labels(
    axis: str, labels_by_id: Mapping[str, str]
) -> Callable[[Catalog, Sequence[InstallRow]], tuple[Value, ...]]:
    """Return a function for `Axis.values` that returns the values of the axis `axis` that rows use.

    `labels_by_id` maps the ids of all possible values to labels, in the order of the result.
    """

    def values(_: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
        used_ids = {getattr(row, axis) for row in rows}
        return tuple(Value(key, label) for key, label in labels_by_id.items() if key in used_ids)

    return values


def _python_values(catalog: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
    """Return the Python versions that rows use, newest first.

    If no row uses a Python version, returns the Python versions of the newest PyTorch release.
    """
    pythons = {python for row in rows for python in row.pythons or ()}
    pythons = pythons or set(catalog.releases.newest.python)
    return tuple(
        Value(p, p, message("free-threaded") if p.endswith("t") else "")
        for p in pythons_newest_first(pythons)
    )


def _regular_pythons(catalog: Catalog, _: Sequence[InstallRow]) -> set[str]:
    """Return the Python versions of the newest PyTorch release, without free-threaded ones."""
    return {p for p in catalog.releases.newest.python if not p.endswith("t")}


def _platform_values(catalog: Catalog, rows: Sequence[InstallRow]) -> tuple[Value, ...]:
    platform_ids = {row.platform for row in rows}
    return tuple(
        Value(p.id, p.accelerator.name, p.accelerator.vendor)
        for p in catalog.platforms
        if p.id in platform_ids
    )


def _in_tree_platforms(catalog: Catalog, _: Sequence[InstallRow]) -> set[str]:
    return {platform.id for platform in catalog.platforms if platform.in_tree}


# All axes, in the order of addresses and data.
AXES = (
    Axis(
        "build",
        message("PyTorch release"),
        3,
        _build_values,
        own_column=True,
        weight=1,
        at_once=lambda *_: (STABLE, PREVIEW),
        more_label=message("Other releases"),
    ),
    Axis(
        "os",
        message("Operating system"),
        4,
        _values_with_labels("os", OS_LABELS),
        is_machine=True,
    ),
    Axis(
        "arch",
        message("Architecture"),
        5,
        _values_with_labels("arch", ARCH_LABELS),
        is_machine=True,
    ),
    Axis(
        "python",
        "Python",
        6,
        _python_values,
        many=True,
        own_column=True,
        at_once=_regular_pythons,
        more_label=message("Other versions"),
    ),
    Axis(
        "method",
        message("Format"),
        7,
        _values_with_labels("method", METHOD_LABELS),
        own_column=True,
        group="format",
        weight=2,
    ),
    Axis(
        "platform",
        message("Compute platform"),
        1,
        _platform_values,
        own_column=True,
        group="main",
        at_once=_in_tree_platforms,
        more_label=message("More platforms"),
    ),
    Axis(
        "variant",
        message("Variant"),
        2,
        None,
        own_column=True,
        group="main",
        weight=3,
        more_label=message("Earlier variants"),
    ),
)


def axes_by_rank(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return axes by ascending rank, the order in which the selector shows them."""
    return tuple(sorted(axes, key=lambda axis: axis.rank))


def axes_by_weight(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return `axes` by ascending weight, without the axes for the platform and the machine.

    If the reader selected no value on an axis of the result, the selector derives the value.
    """
    other_axes = (axis for axis in axes if not axis.is_machine and axis.id != "platform")
    return tuple(sorted(other_axes, key=lambda axis: axis.weight))


def axes_by_column(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return `axes` in the order of the columns in tables of commands and in the page's data.

    The platform comes first, then the variant, then all other axes with one value per row, and then
    the axes on which a row can have several values (`many`).
    """
    return tuple(sorted(axes, key=lambda a: (a.many, a.id != "platform", a.values is not None)))


# The axes on which a row has one value.
KEY_AXES = tuple(axis for axis in axes_by_column(AXES) if not axis.many)


def row_key(row: InstallRow, *without: str) -> tuple[str, ...]:
    """Return a row's value ids on KEY_AXES, the axes on which a row has one value.

    `without` are the ids of axes to omit.
    """
    return tuple(getattr(row, axis.field) for axis in KEY_AXES if axis.id not in without)
