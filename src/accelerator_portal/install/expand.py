"""Expands vendors' install options into rows, one for each build, system, variant and method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import product

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.install_file import Option, Requirement, Variant
from accelerator_portal.catalog.files.versions_file import (
    PYTORCH_INDEX,
    Build,
    CompatibilityRow,
    Lifecycle,
    Preview,
    Release,
    Wheel,
)
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.catalog.message import (
    Translatable,
    and_list,
    comma_list,
    join_sentences,
    message,
)
from accelerator_portal.install.commands import (
    PLACEHOLDER_NAMES,
    UnknownPlaceholderError,
    UnquotableError,
    check_command,
    command_lines,
    docker_container,
    fill_placeholders,
    pip_calls,
)
from accelerator_portal.install.rows import (
    NO_VARIANT,
    PREVIEW,
    CheckLine,
    InstallRow,
    Prerequisite,
)
from accelerator_reports.files.fields import Arch, Method, Os
from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.files.sources import Source

# Lists the targets of an install option: each build, system and variant that it installs.


@dataclass(frozen=True, slots=True)
class Target:
    """One build, variant and system for which an option has commands.

    `build` is a release's version or `preview`. `wheel` is the variant of the published wheel,
    image or archive. `index` is the address of the index with the wheel; it is empty for PyPI, and
    None for images and archives. If the option itself states its systems, `wheel` and `index` are
    None. `fits` is the row of `compatibility.yaml` that the option installs. `named` is the first
    document among the sources that state the version, or None.
    """

    build: str
    os: Os
    arch: Arch
    pythons: tuple[str, ...]
    torchvision: str | None = None
    variant: Variant | None = None
    wheel: str | None = None
    index: str | None = None
    fits: CompatibilityRow | None = None
    named: Source | None = None

    @property
    def torch(self) -> str | None:
        """The release's version, or None for a nightly build, which has no version yet."""
        return None if self.build == PREVIEW else self.build


def depends_on_python(platform: Platform, option: Option) -> bool:
    """Return whether the option's steps or its check contain the placeholder `{python}`."""
    check = platform.install.checks.get(option.check or "")
    return "{python}" in repr((option.steps, check))


def targets(catalog: Catalog, platform: Platform, option: Option) -> Iterator[Target]:
    """Yield the option's targets: one for each build, system and variant.

    If the commands depend on the Python version, there is a target for each Python version.
    """
    split_by_python = depends_on_python(platform, option)
    for release in _releases_of_option(catalog, option):
        list_targets = _published_targets if option.published else _stated_targets
        for target in list_targets(catalog, platform, option, release):
            if split_by_python:
                yield from (replace(target, pythons=(python,)) for python in target.pythons)
            else:
                yield target


def _releases_of_option(catalog: Catalog, option: Option) -> Iterator[Release | Preview]:
    if option.channel == "preview":
        yield catalog.releases.preview
        return
    for release in catalog.releases.releases:
        if option.admits(release.version):
            yield release


def _published_targets(
    catalog: Catalog, platform: Platform, option: Option, release: Release | Preview
) -> Iterator[Target]:
    """Yield a target for each architecture of each published build that the option uses.

    A build is a wheel, an image or an archive.
    """
    variants = {variant.id: variant for variant in platform.install.variants}
    for build in matching_builds(option, release):
        if variants and build.variant not in variants:
            continue  # the rule install-references reports a variant that is not described
        wheel = build if isinstance(build, Wheel) else None
        pythons = wheel.python if wheel and wheel.python else release.python
        source = _first_document(catalog.releases.sources, build.source or release.source)
        for arch in build.arch:
            if not option.arch or arch in option.arch:
                target = _new_target(release, build.os, arch, variants.get(build.variant))
                yield replace(
                    target,
                    pythons=_common_pythons(pythons, option.python),
                    wheel=build.variant,
                    index=_index_address(release, wheel) if wheel else None,
                    named=source,
                )


def builds_of_option(catalog: Catalog, option: Option) -> Iterator[Build]:
    """Yield the published builds that an option uses.

    This includes builds of variants that `install.yaml` does not describe.
    """
    for release in _releases_of_option(catalog, option):
        yield from matching_builds(option, release)


def _stated_targets(
    _: Catalog, platform: Platform, option: Option, release: Release | Preview
) -> Iterator[Target]:
    """Yield one target for each system and variant that the option itself states."""
    variant_ids = option.variants or ()
    variants = [variant for variant in platform.install.variants if variant.id in variant_ids]
    for variant, os in product(variants or (None,), option.os or ()):
        fits = _row_to_install(platform, release, variant, os) if option.compatibility else None
        if option.compatibility and fits is None:
            continue
        pythons = _common_pythons(release.python, option.python)
        source = _first_document(platform.compatibility.sources, fits.source) if fits else None
        if fits and fits.python:
            pythons = _common_pythons(pythons, fits.python)
        for arch in option.arch or ():
            target = _new_target(release, os, arch, variant)
            yield replace(target, pythons=pythons, fits=fits, named=source)


def _first_document(sources: Mapping[str, Source], names: Iterable[str]) -> Source | None:
    """Return the first source with an id in `names` that is a document, or None if there is none.

    `sources` has the sources by id. A source with an address is a document. A source without an
    address is a package's metadata.
    """
    return next((s for name in names if (s := sources.get(name)) and s.url), None)


def _new_target(release: Release | Preview, os: Os, arch: Arch, variant: Variant | None) -> Target:
    if isinstance(release, Preview):
        return Target(PREVIEW, os, arch, release.python, variant=variant)
    return Target(release.version, os, arch, release.python, release.torchvision, variant)


def matching_builds(option: Option, release: Release | Preview) -> Iterator[Build]:
    """Yield the published builds of a release that an option uses."""
    if option.published is None:
        return
    kind, pattern = option.published
    for build in release.builds(kind):
        if (
            fnmatchcase(build.variant, pattern)
            and (not option.os or build.os in option.os)
            and (not option.arch or not set(option.arch).isdisjoint(build.arch))
            and (not option.variants or build.variant in option.variants)
        ):
            yield build


def _common_pythons(pythons: tuple[str, ...], allowed: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(python for python in pythons if allowed is None or python in allowed)


def _index_address(release: Release | Preview, wheel: Wheel) -> str:
    if wheel.on == "pypi":
        return ""
    channel = "" if isinstance(release, Release) else "/nightly"
    return f"{PYTORCH_INDEX}{channel}/{wheel.variant}"


def _row_to_install(
    platform: Platform, release: Release | Preview, variant: Variant | None, os: Os
) -> CompatibilityRow | None:
    """Return the row of `compatibility.yaml` to install for a build on a system, or None.

    If several rows fit, rows that state their requirements (`needs`) are preferred, and then the
    row with the newest plugin. Returns None for a nightly build.
    """
    if isinstance(release, Preview):
        return None
    rows = compatibility_rows(platform, release.version, variant, os)
    return max(rows, key=lambda r: (bool(r.needs), Version(r.plugin or "0")), default=None)


def compatibility_rows(
    platform: Platform, torch: str | None, variant: Variant | None, os: Os | None = None
) -> list[CompatibilityRow]:
    """Return the rows of `compatibility.yaml` for a release, a variant and an operating system.

    `torch` is the release's version. If it is None (a nightly build), the result is empty. If `os`
    is None, the rows for all operating systems are returned.
    """
    variant_ids = {None, variant.id if variant else None}
    return [
        row
        for row in platform.compatibility.rows
        if row.torch == torch and row.variant in variant_ids and is_for_os(row, os)
    ]


def is_for_os(row: CompatibilityRow, os: Os | None) -> bool:
    """Return whether a row of `compatibility.yaml` applies to `os`; true if `os` is None."""
    return os is None or not row.os or os in row.os


# An image or an archive contains Python or needs none. Unless its commands name a Python version,
# the reader's version does not matter.
PYTHON_INDEPENDENT: frozenset[Method] = frozenset({"docker", "libtorch"})

# From pytorch/pytorch, docs/cpp/source/installing.rst.
_LIBTORCH_BUILD_NOTE = message(
    "To build a C++ program, give CMake the absolute path of the unpacked folder: "
    "cmake -DCMAKE_PREFIX_PATH=/path/to/libtorch .."
)
_WINDOWS_BUILD_NOTE = message(
    "Build with cmake --build . --config Release, and copy LibTorch's DLLs beside the program."
)


Expansion = tuple[tuple[InstallRow, ...], tuple[Problem, ...]]

# Ten times the rows of the largest platform. Each is a row on the platform's page.
MAX_ROWS = 4000


@cached_by_owner
def expand(catalog: Catalog) -> Expansion:
    """Return the install rows of all platforms, and the problems of their options.

    An option has a problem if it matches no build, if it gives its platform more than MAX_ROWS
    rows, or if it has an unknown placeholder or a word that cannot be quoted. The result is cached
    for each catalog, because rules and pages all use it.
    """
    rows: list[InstallRow] = []
    problems: list[Problem] = []
    for platform in catalog.platforms:
        limit = MAX_ROWS
        for option in platform.install.options:
            option_rows, option_problems = _expand_option(catalog, platform, option, limit)
            rows += option_rows
            problems += option_problems
            limit -= len(option_rows)
    return tuple(rows), tuple(problems)


@cached_by_owner
def rows_by_platform(catalog: Catalog) -> Mapping[str, tuple[InstallRow, ...]]:
    """Return the rows of `expand` by platform id. The result is cached for each catalog."""
    grouped_rows: dict[str, list[InstallRow]] = {platform.id: [] for platform in catalog.platforms}
    for row in expand(catalog)[0]:
        grouped_rows[row.platform].append(row)
    return {platform: tuple(rows) for platform, rows in grouped_rows.items()}


def _expand_option(
    catalog: Catalog, platform: Platform, option: Option, limit: int
) -> tuple[list[InstallRow], list[Problem]]:
    rows: list[InstallRow] = []
    faults: dict[tuple[str, str], list[str]] = {}
    python_free = frozenset[Method]() if depends_on_python(platform, option) else PYTHON_INDEPENDENT
    for target in targets(catalog, platform, option):
        for method in option.methods:
            pythons = None if method in python_free else target.pythons
            if pythons == ():
                continue
            if len(rows) == limit:
                what = f"the options make more than {MAX_ROWS:,} rows"
                problem = platform.record_problem(option, "id", what, "use fewer combinations")
                return rows, [problem]
            try:
                rows.append(_install_row(platform, option, target, method, pythons))
            except (UnknownPlaceholderError, UnquotableError) as error:
                faults.setdefault(_option_fault(error), []).append(f"{target.build} on {target.os}")
    if not rows and not faults:
        what = f'the option "{option.id}" matches no combination of release, system and build'
        faults[what, "check its releases and filters"] = []
    return rows, [
        platform.record_problem(option, "id", what + _targets_text(target_texts), remedy)
        for (what, remedy), target_texts in faults.items()
    ]


def _option_fault(error: UnknownPlaceholderError | UnquotableError) -> tuple[str, str]:
    if isinstance(error, UnquotableError):
        what = f"{str(error)!r} cannot be quoted for PowerShell and cmd alike"
        return what, "write it without quotes, $, % and backticks"
    if error.name not in PLACEHOLDER_NAMES:
        return f"{{{error.name}}} is not a placeholder", did_you_mean(error.name, PLACEHOLDER_NAMES)
    remedy = "restrict the option, or remove the placeholder"
    if error.name == "plugin":
        remedy = "add compatibility: true, and plugin: to the rows of compatibility.yaml"
    return f"{{{error.name}}} has no value", remedy


def _targets_text(target_texts: list[str]) -> str:
    if not target_texts:
        return ""
    more_text = f" and {len(target_texts) - 1} more" if len(target_texts) > 1 else ""
    return f" (torch {target_texts[0]}{more_text})"


def _row_note(platform: Platform, option: Option, target: Target, method: Method) -> str | None:
    """Return the note that is shown below the commands, or None if there is none.

    The note consists of warnings about containers, instructions for LibTorch, the note about
    required software and the option's own note.
    """
    warnings = [step.docker.warning for step in option.steps if step.docker]
    texts = (*warnings, _LIBTORCH_BUILD_NOTE if method == "libtorch" else None)
    texts += (_WINDOWS_BUILD_NOTE if method == "libtorch" and target.os == "windows" else None,)
    texts += (_needs_note(platform, target), Translatable(option.note or ""))
    present_texts = [text for text in texts if text]
    return join_sentences(present_texts) if present_texts else None


def _needs_note(platform: Platform, target: Target) -> str | None:
    """Return a note about the versions of required software, such as a driver, or None.

    There are two cases:

    - For the PyTorch release of `target`, there are plugin versions that need other software
      versions than the plugin of `target`. The note lists these plugin versions, each with the
      software versions that it needs.
    - No source states which software version the PyTorch release needs. The note says so, and names
      the newest PyTorch release for which a source states a version.
    """
    fits, rows = target.fits, _rows_with_needs(platform, target)
    if fits is None:
        return None
    other_rows = [r for r in rows if r.torch == fits.torch and r.needs != fits.needs and r.plugin]
    if fits.needs and other_rows:
        name = platform.accelerator.package.name
        row_by_needs = {_needs_text(row): row for row in reversed(other_rows)}
        plugins = comma_list(
            f"{name} {row.plugin} ({needs}{_python_range_text(row, fits)})"
            for needs, row in reversed(row_by_needs.items())
        )
        needed = and_list(dict.fromkeys(name for row in (fits, *other_rows) for name in row.needs))
        return message("For other {needs} versions: {plugins}.", needs=needed, plugins=plugins)
    if not _is_runtime_unknown(platform, target):
        return None
    return message(
        "No source that this project examined states which {needs} version PyTorch {torch} needs. "
        "The newest release with a stated version is PyTorch {known} ({stated}).",
        needs=and_list(rows[0].needs),
        torch=target.torch,
        known=rows[0].torch,
        stated=_needs_text(rows[0]),
    )


def _is_runtime_unknown(platform: Platform, target: Target) -> bool:
    """Return whether the plugin needs software such as a driver in a version that nobody states.

    The platform's other releases show that it needs such software.
    """
    has_needs = target.fits is None or bool(target.fits.needs)
    return not has_needs and bool(_rows_with_needs(platform, target))


def _rows_with_needs(platform: Platform, target: Target) -> list[CompatibilityRow]:
    return [
        row
        for row in platform.compatibility.rows
        if row.needs
        and target.fits
        and row.variant == target.fits.variant
        and is_for_os(row, target.os)
    ]


def _needs_text(row: CompatibilityRow) -> str:
    return and_list(f"{name} {version.removeprefix('==')}" for name, version in row.needs.items())


def _python_range_text(row: CompatibilityRow, fits: CompatibilityRow) -> str:
    """Return the range of Python versions of `row` as text, such as `, Python 3.10–3.12`.

    `fits` is the row that a command installs. Returns an empty text if `row` supports every Python
    version that `fits` supports, or if one of the two rows states no Python versions.
    """
    if not row.python or not fits.python or {*fits.python} <= {*row.python}:
        return ""
    return ", Python " + "–".join(dict.fromkeys((row.python[0], row.python[-1])))


def _install_row(
    platform: Platform,
    option: Option,
    target: Target,
    method: Method,
    pythons: tuple[str, ...] | None,
) -> InstallRow:
    values = placeholder_values(target)
    return InstallRow(
        platform=platform.id,
        variant=target.variant.id if target.variant else NO_VARIANT,
        build=target.build,
        os=target.os,
        arch=target.arch,
        method=method,
        pythons=pythons,
        commands=command_lines(option.steps, method, target.os, values),
        prerequisites=tuple(_prerequisites(platform, option, target)),
        check=_row_check(platform, option, target.os, values),
        note=_row_note(platform, option, target, method),
        stage=_plugin_stage(platform, target),
        option=option.id,
        calls=pip_calls(option.steps, method, values),
        container=docker_container(option.steps, values),
        on_request=option.on_request or _is_runtime_unknown(platform, target),
        named=target.named,
    )


def placeholder_values(target: Target) -> dict[str, str]:
    """Return the values of the placeholders for a target, such as `{"torch": "2.15.0"}`.

    Placeholders without a value are absent.
    """
    values: dict[str, str | None] = {
        "torch": target.torch,
        "torchvision": target.torchvision,
        "variant": target.variant.id if target.variant else target.wheel,
        "variant_version": target.variant.version if target.variant else None,
        "plugin": target.fits.plugin if target.fits else None,
        "index": target.index,
        "python": target.pythons[0] if target.pythons else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _prerequisites(platform: Platform, option: Option, target: Target) -> Iterator[Prerequisite]:
    requirements: list[Requirement] = [*platform.install.requires]
    requirements += target.variant.requires if target.variant else ()
    requirements += option.requires
    needs = target.fits.needs if target.fits else {}
    for name, version in needs.items():
        yield Prerequisite(name, version)
    for requirement in requirements:
        is_stated = requirement.name in needs
        if (not requirement.os or target.os in requirement.os) and not is_stated:
            name = Translatable(requirement.name)
            yield Prerequisite(name, requirement.version, requirement.url)


def _plugin_stage(platform: Platform, target: Target) -> Lifecycle | None:
    """Return the lifecycle of the plugin version that a target installs, or None.

    The lifecycle is stated in the row of `compatibility.yaml` that the target installs. If the
    target has no such row, all rows for its release and variant are used. Returns None if the rows
    state different lifecycles or none.
    """
    rows = (
        (target.fits,)
        if target.fits
        else compatibility_rows(platform, target.torch, target.variant, target.os)
    )
    stages = {row.lifecycle for row in rows}
    return stages.pop() if len(stages) == 1 else None


def _row_check(
    platform: Platform, option: Option, os: Os, values: dict[str, str]
) -> CheckLine | None:
    check = platform.install.checks.get(option.check or "")
    if check is None:
        return None
    prints = fill_placeholders(check.prints.strip(), {"torch": "(nightly version)", **values})
    return CheckLine(check_command(fill_placeholders(check.code, values), os), prints)
