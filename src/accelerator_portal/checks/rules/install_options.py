"""Checks the install options in `install.yaml`: the ids that they use, and what they install."""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

from packaging import requirements
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES, SELECTOR
from accelerator_portal.catalog.files.install_file import Option, Requirement, Step
from accelerator_portal.catalog.files.shared_files import StartingChoice
from accelerator_portal.catalog.files.versions_file import CompatibilityRow
from accelerator_portal.checks.rule import indexed_duplicates, rule
from accelerator_portal.install.expand import builds_of_option, expand
from accelerator_portal.install.hardware_support import lower_bound
from accelerator_portal.install.resolution import resolve
from accelerator_portal.install.rows import InstallRow, row_key
from accelerator_portal.install.selector import Selector, make_selector
from accelerator_reports.files.problem import Fix, Problem, did_you_mean
from accelerator_reports.files.yaml_file import Location


@rule()
def install_references(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """In `install.yaml` and `compatibility.yaml`, ids are unique and all referenced ids exist.

    For example, the key `check` of an option contains the id of a check in `checks`, and `variant`
    of a row contains the id of a variant in `install.yaml`.
    """
    for platform in catalog.platforms:
        yield from _duplicate_ids(platform)
        yield from _unknown_ids(platform)
        yield from _unknown_releases(catalog, platform)
        yield from _unlisted_variants(catalog, platform)


def _duplicate_ids(platform: Platform) -> Iterator[Problem]:
    for key in ("options", "variants"):
        records = getattr(platform.install, key)
        for index, name in indexed_duplicates(record.id for record in records):
            what = f'the id "{name}" is listed twice in {key}'
            remedy = "use a unique ID for each"
            yield platform.record_problem(records[index], "id", what, remedy)


def _unknown_ids(platform: Platform) -> Iterator[Problem]:
    variants = [variant.id for variant in platform.install.variants]
    checks = list(platform.install.checks)
    for option in platform.install.options:
        for name in option.variants or ():
            if name not in variants:
                what = f'the variant "{name}" is not listed in variants'
                remedy = did_you_mean(name, variants)
                yield platform.record_problem(option, "variants", what, remedy)
        if option.check and option.check not in checks:
            what = f'the check "{option.check}" is not listed in checks'
            remedy = did_you_mean(option.check, checks)
            yield platform.record_problem(option, "check", what, remedy)
        if variants and not option.published and not option.variants:
            yield platform.record_problem(
                option, "id", "the option has no variants", "add variants"
            )
    for row in platform.compatibility.rows:
        if row.variant and row.variant not in variants:
            what = f'the variant "{row.variant}" is not listed in install.yaml'
            remedy = did_you_mean(row.variant, variants)
            yield platform.record_problem(row, "variant", what, remedy)


def _unknown_releases(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    releases = catalog.releases.by_version
    for option in platform.install.options:
        versions = option.torch if isinstance(option.torch, tuple) else ()
        for version_index, version in enumerate(versions):
            if version not in releases:
                what = f"{RELEASES} has no release {version}"
                remedy = did_you_mean(version, releases)
                yield platform.record_problem(option, ("torch", version_index), what, remedy)


def _unlisted_variants(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    """Yield a problem for each variant that an option installs but `variants` does not list.

    `variants` is a key of `install.yaml`. A file in which the key is empty is not checked.
    """
    listed_variants = {variant.id for variant in platform.install.variants}
    if not listed_variants:
        return
    options = platform.install.options
    served = {build.variant for option in options for build in builds_of_option(catalog, option)}
    for variant in sorted(served - listed_variants):
        what = f'{RELEASES} publishes "{variant}", which is missing from variants'
        remedy = "add it with its name and requirements, or restrict the option"
        yield platform.problem("install.yaml", ("variants",), what, remedy)


@rule()
def install_rows(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each option of `install.yaml` applies to a selection, and no two to the same selection.

    A selection is what a reader chooses in the install selector, for example Linux, x86_64 and pip.
    """
    rows, problems = expand(catalog)
    yield from problems
    yield from _unused_variants(catalog, rows, {problem.path for problem in problems})
    first_row_by_selection: dict[tuple[str, ...], InstallRow] = {}
    reported: set[tuple[str, str, str]] = set()
    for row in rows:
        for python in row.pythons or ("any",):
            selection = (*row_key(row), python)
            other = first_row_by_selection.setdefault(selection, row)
            pair = (row.platform, other.option, row.option)
            if other.option != row.option and pair not in reported:
                reported.add(pair)
                yield _overlap_problem(catalog, row, other, selection)


def _unused_variants(
    catalog: Catalog, rows: tuple[InstallRow, ...], faulty: set[str]
) -> Iterator[Problem]:
    """Yield a problem for each variant in an `install.yaml` that no install option installs.

    `rows` are the combinations that the options offer. The files whose paths are in `faulty` are
    skipped.
    """
    served = {(row.platform, row.variant) for row in rows}
    for platform in catalog.platforms:
        if platform.path("install.yaml") in faulty:
            continue
        for variant in platform.install.variants:
            if (platform.id, variant.id) not in served:
                what = f'no option has the variant "{variant.id}"'
                yield platform.record_problem(variant, "id", what, "remove it, or add an option")


def _overlap_problem(
    catalog: Catalog, row: InstallRow, other: InstallRow, selection: tuple[str, ...]
) -> Problem:
    what = f'"{row.option}" and "{other.option}" both match {", ".join(selection[1:])}'
    remedy = "restrict one of the two"
    return catalog.by_id[row.platform].option_problem(row.option, what, remedy)


@rule()
def selector_start(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """The default selections in `data/selector.yaml` are valid, one per operating system."""
    selector = make_selector(catalog, expand(catalog)[0])
    for index, name in enumerate(catalog.defaults.primary):
        yield from _unknown_platform(catalog, name, ("primary", index))
    for index, os in indexed_duplicates(start.os for start in catalog.defaults.start):
        what, remedy = f"{os} is listed twice", "remove one of the two"
        yield catalog.problem(SELECTOR, ("start", index), what, remedy)
    for index, start in enumerate(catalog.defaults.start):
        yield from _unknown_platform(catalog, start.platform, ("start", index))
        # Without any row, there are no default choices.
        is_resolvable = selector.starts and start.platform in catalog.by_id
        if is_resolvable and (reason := _unmatched_reason(selector, start)):
            what = "no install option matches this selection"
            yield catalog.problem(SELECTOR, ("start", index), what, reason)


def _unmatched_reason(selector: Selector, start: StartingChoice) -> str | None:
    """Return why no install option matches a default choice, or None if one matches."""
    resolution = resolve(selector, start.model_dump())
    if resolution.choice is None:
        return f"{start.platform} has no option for {start.os} {start.arch}"
    closest_text = ", ".join(f"{axis}: {resolution.choice[axis]}" for axis in resolution.unmet)
    return f"the closest option has {closest_text}" if closest_text else None


def _unknown_platform(catalog: Catalog, name: str, location: Location) -> Iterator[Problem]:
    """Yield a problem if the platform `name` has no folder.

    A folder with problems counts as a folder.
    """
    if name not in catalog.by_id and name not in catalog.unread_folders:
        what = f'there is no platform "{name}"'
        yield catalog.problem(SELECTOR, location, what, did_you_mean(name, catalog.by_id))


@rule(fixes=True)
def pinned_versions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Versions pinned in commands are listed in `compatibility.yaml`.

    In PEP 440, `==2.10.0` doesn't match 2.10.0.post4, so a command with the wrong pin finds no
    package. The rule checks the platform's own package if `compatibility.yaml` lists its versions.
    """
    for platform in catalog.platforms:
        versions = [Version(row.plugin) for row in platform.compatibility.rows if row.plugin]
        if platform.in_tree or not versions:
            continue
        for step, package_index, requirement in _pinned_requirements(platform):
            if not any(_satisfies(requirement, version) for version in versions):
                what, remedy, fix = _pin_fault(requirement, versions)
                location = ("pip", "packages", package_index)
                yield replace(platform.record_problem(step, location, what, remedy), fix=fix)


def _pinned_requirements(
    platform: Platform,
) -> Iterator[tuple[Step, int, requirements.Requirement]]:
    """Yield each pinned requirement on the platform's package, with its step and index there."""
    platform_package = canonicalize_name(platform.accelerator.package.name)
    for step in platform.steps:
        for package_index, package in enumerate(step.pip.packages if step.pip else ()):
            requirement = _parse_pinned_requirement(package)
            if requirement and canonicalize_name(requirement.name) == platform_package:
                yield step, package_index, requirement


def _parse_pinned_requirement(text: str) -> requirements.Requirement | None:
    """Return the parsed requirement if it pins a version without placeholders, else None."""
    if "{" in text:
        return None
    try:
        requirement = requirements.Requirement(text)
    except requirements.InvalidRequirement:
        return None  # reading the file reports it
    pinned = any(spec.operator in {"==", "==="} for spec in requirement.specifier)
    return requirement if pinned else None


def _satisfies(requirement: requirements.Requirement, version: Version) -> bool:
    """Return whether a version satisfies a pinned requirement.

    A version without a local part satisfies a pin with one: both `2.5.0+musa5.2.0` and `2.5.0`
    satisfy `torch_musa==2.5.0+musa5.2.0`.
    """
    public = SpecifierSet(",".join(str(s).partition("+")[0] for s in requirement.specifier))
    specifiers = (requirement.specifier,) if version.local else (requirement.specifier, public)
    return any(specifier.contains(version, prereleases=True) for specifier in specifiers)


def _pin_fault(
    requirement: requirements.Requirement, versions: list[Version]
) -> tuple[str, str, Fix | None]:
    """Return what is wrong with a pin that none of `versions` satisfies, and the fix in words.

    The third value is a fix that a command can apply, or None.
    """
    pin = next(s.version for s in requirement.specifier if s.operator in {"==", "==="})
    similar_versions = [
        v for v in versions if str(v).startswith(f"{pin}.post") or v.base_version == pin
    ]
    what = f'"{requirement}" is not a version in compatibility.yaml'
    if not similar_versions:
        remedy = f"add the version, or use one of {', '.join(map(str, versions[:5]))}"
        return what, remedy, None
    newest = max(similar_versions)
    remedy = f"write =={newest}: in PEP 440 =={pin} does not match it"
    return what, remedy, Fix(f"=={pin}", f"=={newest}")


@rule()
def requirement_versions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Requirements of install options agree with `compatibility.yaml`.

    Both `requires` in `install.yaml` and `needs` in `compatibility.yaml` list drivers and SDKs. If
    a page requires SDK 8.0 or newer, but every version needs SDK 9.1.0, readers install a version
    that doesn't work.
    """
    for platform in catalog.platforms:
        problem_by_requirement: dict[int, Problem] = {}
        for option in platform.install.options:
            if option.compatibility:
                continue
            rows = [row for row in platform.compatibility.rows if _option_matches_row(option, row)]
            for requirement, variant in _option_requirements(platform, option):
                matching_rows = [
                    row
                    for row in rows
                    if (variant is None or row.variant == variant)
                    and row.applies_to(requirement.os)
                ]
                for problem in _version_problems(platform, requirement, matching_rows):
                    problem_by_requirement.setdefault(id(requirement), problem)
        yield from problem_by_requirement.values()


def _option_requirements(
    platform: Platform, option: Option
) -> Iterator[tuple[Requirement, str | None]]:
    """Yield each requirement of an option with the id of its variant.

    The variant is None for a requirement that applies to all variants.
    """
    for requirement in (*platform.install.requires, *option.requires):
        yield requirement, None
    for variant in platform.install.variants:
        if not option.variants or variant.id in option.variants:
            yield from ((requirement, variant.id) for requirement in variant.requires)


def _option_matches_row(option: Option, row: CompatibilityRow) -> bool:
    variant_matches = not option.variants or row.variant is None or row.variant in option.variants
    return variant_matches and option.admits(row.torch)


def _version_problems(
    platform: Platform, requirement: Requirement, rows: list[CompatibilityRow]
) -> Iterator[Problem]:
    allowed_minimum = lower_bound(requirement.version or "")
    needed = [low for row in rows if (low := lower_bound(row.needs.get(requirement.name, "")))]
    if allowed_minimum and needed and allowed_minimum < min(needed):
        what = (
            f'"{requirement.version}" allows {requirement.name} {allowed_minimum}, '
            f"but the rows of compatibility.yaml need {min(needed)} or newer"
        )
        remedy = "require the same version in both files"
        yield platform.record_problem(requirement, "version", what, remedy)


@rule(level="warning")
def check_computes(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """The check of an install option computes a matrix product on the device.

    PyTorch can find a device on which every operation fails, for example because a library has no
    code for it. A check that only asks whether the device is available passes there.
    """
    for platform in catalog.platforms:
        for check in platform.install.checks.values():
            if not any(map(_is_matrix_product, ast.walk(ast.parse(check.code)))):
                what = "the check computes no matrix product, so it passes on a broken device"
                remedy = "add, for a tensor x on the device: print((x @ x).cpu().sum().item())"
                yield platform.record_problem(check, "code", what, remedy)


def _is_matrix_product(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.MatMult()):
            return True
        case ast.Call(func=ast.Attribute(attr="mm" | "matmul")):
            return True
        case _:
            return False
