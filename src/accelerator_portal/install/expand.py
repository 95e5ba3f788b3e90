"""Expands vendors' install options into rows: one for each build, system, variant and method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.cached import cached_by_owner
from accelerator_portal.catalog.files.compatibility_file import CompatibilityRow, Lifecycle
from accelerator_portal.catalog.files.install_file import Option, Requirement
from accelerator_portal.catalog.message import (
    Translatable,
    and_list,
    comma_list,
    join_sentences,
    message,
)
from accelerator_portal.install.commands import (
    check_command,
    command_lines,
    docker_container,
    pip_calls,
)
from accelerator_portal.install.placeholders import (
    PLACEHOLDER_NAMES,
    UnknownPlaceholderError,
    fill_placeholders,
)
from accelerator_portal.install.rows import (
    NO_VARIANT,
    CheckLine,
    InstallRow,
    Prerequisite,
)
from accelerator_portal.install.shell_quotes import UnquotableError
from accelerator_portal.install.targets import (
    Target,
    compatibility_rows,
    depends_on_python,
    is_for_os,
    targets,
)
from accelerator_reports.files.fields import Method, Os
from accelerator_reports.files.problem import Problem, did_you_mean

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
