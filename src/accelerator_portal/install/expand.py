"""Install options expanded into rows: every combination that a vendor's option states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from weakref import WeakKeyDictionary

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.fields import Arch, Method, Os
from accelerator_portal.catalog.install_file import Option, Requirement, Variant
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.releases_file import INDEX, Preview, Release, Wheel
from accelerator_portal.install.commands import check_line, command_lines
from accelerator_portal.install.placeholders import NAMES, UnknownPlaceholderError, fill
from accelerator_portal.install.quoting import UnquotableError

PREVIEW = "preview"
NO_VARIANT = "default"

# An image or an archive brings its own Python, or needs none: the reader's does not matter.
PYTHON_FREE: frozenset[Method] = frozenset({"docker", "libtorch"})


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """What must be on the machine first: `version` may be a specifier, `url` where to get it."""

    name: str
    version: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The command that shows whether an installation worked, and what it prints."""

    command: str
    prints: str


@dataclass(frozen=True, slots=True)
class InstallRow:
    """One valid combination, for each of `pythons` (None: Python does not matter), and what to do.

    `build` is a release's version or `preview`; `variant` is `default` where a platform has none.
    """

    platform: str
    variant: str
    build: str
    os: Os
    arch: Arch
    method: Method
    pythons: tuple[str, ...] | None
    commands: tuple[str, ...]
    prerequisites: tuple[Prerequisite, ...]
    check: CheckLine | None
    note: str | None
    option: str


@dataclass(frozen=True, slots=True)
class _Target:
    """What an option is expanded for: one build, variant, system, and what is known of them."""

    build: str
    torch: str | None
    torchvision: str | None
    os: Os
    arch: Arch
    pythons: tuple[str, ...]
    variant: Variant | None = None
    wheel: str | None = None
    index: str | None = None
    row: CompatibilityRow | None = None


_expanded: WeakKeyDictionary[Catalog, tuple[tuple[InstallRow, ...], list[Problem]]]
_expanded = WeakKeyDictionary()


def expand(catalog: Catalog) -> tuple[tuple[InstallRow, ...], list[Problem]]:
    """Expand the options of all platforms; problems are what keeps an option from its rows.

    Computed once for a catalogue: rules and pages all begin with it.
    """
    if catalog not in _expanded:
        _expanded[catalog] = _expand(catalog)
    rows, problems = _expanded[catalog]
    return rows, [*problems]


def _expand(catalog: Catalog) -> tuple[tuple[InstallRow, ...], list[Problem]]:
    rows: list[InstallRow] = []
    problems: list[Problem] = []
    for platform in catalog.platforms:
        for position, option in enumerate(platform.install.options):
            found, wrong = _expand_option(catalog, platform, position, option)
            rows += found
            problems += wrong
    return tuple(rows), problems


def _expand_option(
    catalog: Catalog, platform: Platform, position: int, option: Option
) -> tuple[list[InstallRow], list[Problem]]:
    rows: list[InstallRow] = []
    faults: dict[tuple[str, str], list[str]] = {}
    for target in _targets(catalog, platform, option):
        for method in option.methods:
            if not target.pythons and method not in PYTHON_FREE:
                continue
            try:
                rows.append(_row(platform, option, target, method))
            except (UnknownPlaceholderError, UnquotableError) as error:
                faults.setdefault(_fault(error), []).append(f"{target.build} on {target.os}")
    if not rows and not faults:
        what = f'the option "{option.id}" serves no combination'
        faults[what, "check its releases and filters"] = []
    location = ("options", position, "id")
    return rows, [
        platform.problem("install.yaml", location, what + _where(places), remedy)
        for (what, remedy), places in faults.items()
    ]


def _fault(error: UnknownPlaceholderError | UnquotableError) -> tuple[str, str]:
    if isinstance(error, UnquotableError):
        what = f"{str(error)!r} cannot be quoted for PowerShell and cmd alike"
        return what, "write it without quotes, $, % and backticks"
    if error.exists:
        remedy = "narrow the option, or leave the placeholder out"
        return f"{{{error.name}}} has no value", remedy
    return f"{{{error.name}}} is no placeholder", did_you_mean(error.name, NAMES)


def _where(places: list[str]) -> str:
    if not places:
        return ""
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f" (torch {places[0]}{more})"


def _targets(catalog: Catalog, platform: Platform, option: Option) -> Iterator[_Target]:
    """The option's targets; one for each Python where the commands differ with it."""
    split = "{python}" in repr(option.steps)
    for target in _all_targets(catalog, platform, option):
        if split:
            yield from (replace(target, pythons=(python,)) for python in target.pythons)
        else:
            yield target


def _all_targets(catalog: Catalog, platform: Platform, option: Option) -> Iterator[_Target]:
    if option.wheels:
        yield from _wheel_targets(catalog, platform, option)
    elif option.channel == "preview":
        yield from _stated_targets(platform, option, catalog.releases.preview, None)
    else:
        rows = _best_rows(platform)
        for release in catalog.releases.releases:
            row = rows.get(release.version)
            if option.admits(release.version) and (row or not option.compatibility):
                yield from _stated_targets(platform, option, release, row)


def _wheel_targets(catalog: Catalog, platform: Platform, option: Option) -> Iterator[_Target]:
    """One target per published wheel that the option's glob and filters admit."""
    variants = {variant.id: variant for variant in platform.install.variants}
    rows = _best_rows(platform)
    for release in _builds(catalog, option):
        for wheel in release.wheels:
            if not fnmatchcase(wheel.variant, option.wheels or ""):
                continue
            if option.os and wheel.os not in option.os:
                continue
            if option.variants and wheel.variant not in option.variants:
                continue
            variant = variants.get(wheel.variant)
            if variants and variant is None:
                continue  # checks/published_variants.py reports it
            for arch in wheel.arch:
                if option.arch and arch not in option.arch:
                    continue
                version = _version(release)
                yield _Target(
                    build=version or PREVIEW,
                    torch=version,
                    torchvision=release.torchvision if isinstance(release, Release) else None,
                    os=wheel.os,
                    arch=arch,
                    pythons=_pythons(wheel.python or release.python, option.python),
                    variant=variant,
                    wheel=wheel.variant,
                    index=_index(release, wheel),
                    row=rows.get(version or ""),
                )


def _stated_targets(
    platform: Platform, option: Option, release: Release | Preview, row: CompatibilityRow | None
) -> Iterator[_Target]:
    """One target per system and variant that the option itself states."""
    version = _version(release)
    known = platform.install.variants
    variants: list[Variant | None] = [v for v in known if v.id in (option.variants or ())]
    pythons = _pythons(release.python, option.python)
    if row and row.python and option.compatibility:
        pythons = _pythons(pythons, row.python)
    for variant in variants or [None]:
        for os in option.os or ():
            for arch in option.arch or ():
                yield _Target(
                    build=version or PREVIEW,
                    torch=version,
                    torchvision=release.torchvision if isinstance(release, Release) else None,
                    os=os,
                    arch=arch,
                    pythons=pythons,
                    variant=variant,
                    row=row if option.compatibility else None,
                )


def _builds(catalog: Catalog, option: Option) -> Iterator[Release | Preview]:
    if option.channel == "preview":
        yield catalog.releases.preview
        return
    for release in catalog.releases.releases:
        if option.admits(release.version):
            yield release


@lru_cache(maxsize=1)  # the options of a platform follow each other
def _best_rows(platform: Platform) -> dict[str, CompatibilityRow]:
    """The compatibility row to install, per torch release.

    A row that says what else it needs comes before one that does not, then the newest plugin: a
    reader is better off with versions that are known to fit than with the last one published.
    """

    def worth(row: CompatibilityRow) -> tuple[bool, Version]:
        return bool(row.needs), Version(row.plugin or "0")

    best: dict[str, CompatibilityRow] = {}
    for row in platform.compatibility.rows:
        known = best.get(row.torch)
        if known is None or worth(row) > worth(known):
            best[row.torch] = row
    return best


def _version(release: Release | Preview) -> str | None:
    return release.version if isinstance(release, Release) else None


def _pythons(known: tuple[str, ...], wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(p for p in known if wanted is None or p in wanted)


def _index(release: Release | Preview, wheel: Wheel) -> str:
    if wheel.on == "pypi":
        return ""
    channel = "" if isinstance(release, Release) else "/nightly"
    return f"{INDEX}{channel}/{wheel.variant}"


def _row(platform: Platform, option: Option, target: _Target, method: Method) -> InstallRow:
    values = _values(target)
    return InstallRow(
        platform=platform.id,
        variant=target.variant.id if target.variant else NO_VARIANT,
        build=target.build,
        os=target.os,
        arch=target.arch,
        method=method,
        pythons=None if method in PYTHON_FREE else target.pythons,
        commands=command_lines(option.steps, method, target.os, values),
        prerequisites=tuple(_prerequisites(platform, option, target)),
        check=_check(platform, option, target.os, values),
        note=option.note,
        option=option.id,
    )


def _values(target: _Target) -> dict[str, str]:
    values: dict[str, str | None] = {
        "torch": target.torch,
        "torchvision": target.torchvision,
        "variant": target.variant.id if target.variant else target.wheel,
        "variant_version": target.variant.version if target.variant else None,
        "plugin": target.row.plugin if target.row else None,
        "index": target.index,
        "python": target.pythons[0] if target.pythons else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _prerequisites(platform: Platform, option: Option, target: _Target) -> Iterator[Prerequisite]:
    requirements: list[Requirement] = [*platform.install.requires]
    requirements += target.variant.requires if target.variant else ()
    requirements += option.requires
    needs = target.row.needs if target.row and option.compatibility else {}
    for name, version in needs.items():
        yield Prerequisite(name, version)
    for requirement in requirements:
        stated = requirement.name in needs
        if (not requirement.os or target.os in requirement.os) and not stated:
            yield Prerequisite(requirement.name, requirement.version, requirement.url)


def _check(platform: Platform, option: Option, os: Os, values: dict[str, str]) -> CheckLine | None:
    check = platform.install.checks.get(option.check or "")
    if check is None:
        return None
    prints = fill(check.prints.strip(), {"torch": "(nightly version)", **values})
    return CheckLine(check_line(fill(check.code, values), os), prints)
