"""Finds builds of PyTorch that install commands use and `data/releases.yaml` does not list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX, Release, Wheel
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import PREVIEW, InstallRow, PipCall
from accelerator_portal.packages.fitting_releases import names_torch
from accelerator_reports.files.problem import Problem


@dataclass(frozen=True, slots=True)
class BuildClaim:
    """A build of PyTorch that an option's commands install; `build` is a variant or `pypi`."""

    platform: str
    option: str
    release: str
    build: str
    os: str
    arch: str


def claims_without_evidence(catalog: Catalog, version: str | None = None) -> list[Problem]:
    """Return a problem for each build that an option installs and `data/releases.yaml` lacks.

    A build that is not listed for all Python versions of its commands is a problem, too. `version`
    limits the result to one release. Nightly builds are not checked. Commands with a vendor's index
    or several indexes are not checked: the option's source is the evidence for such builds.
    """
    methods: dict[BuildClaim, set[str]] = {}
    pythons: dict[BuildClaim, set[str]] = {}
    for row in expand(catalog)[0]:
        if row.build != PREVIEW and version in {None, row.build}:
            for claim in _row_claims(row):
                methods.setdefault(claim, set()).add(row.method)
                pythons.setdefault(claim, set()).update(row.pythons or ())
    problems = (_claim_problem(catalog, one, methods[one], pythons[one]) for one in methods)
    return sorted({problem for problem in problems if problem})


def _row_claims(row: InstallRow) -> Iterator[BuildClaim]:
    for call in row.calls:
        build = _claimed_build(call)
        if build and any(map(names_torch, call.packages)):
            yield BuildClaim(row.platform, row.option, row.build, build, row.os, row.arch)


def _claimed_build(call: PipCall) -> str | None:
    """Return the variant of the build that a pip or uv call installs, such as `cu130`.

    The call states the variant in uv's option for PyTorch's build (`call.backend`) or in the
    address of PyTorch's index. Returns `pypi` if the call has neither this option nor an index.
    Returns None if it names a vendor's index or several indexes.
    """
    if call.backend:
        return call.backend
    indexes = [index for index in (call.index, call.extra_index) if index]
    if not indexes:
        return PYPI
    variants = [
        index.removeprefix(f"{PYTORCH_INDEX}/").rstrip("/")
        for index in indexes
        if index.startswith(PYTORCH_INDEX)
    ]
    return variants[0] if len(variants) == len(indexes) == 1 else None


def _claim_problem(
    catalog: Catalog, claim: BuildClaim, methods: set[str], pythons: set[str]
) -> Problem | None:
    release = catalog.releases.by_version.get(claim.release)
    listed_wheels = [w for w in release.wheels if _is_for_system(w, claim)] if release else []
    claimed_wheels = [wheel for wheel in listed_wheels if _is_claimed_build(wheel, claim)]
    missing = pythons - {p for wheel in claimed_wheels for p in _wheel_pythons(wheel, release)}
    if claimed_wheels and not missing:
        return None
    system = f"{claim.os} {claim.arch}"
    build = "build on PyPI" if claim.build == PYPI else f"{claim.build} build"
    for_pythons = f" and Python {', '.join(sorted(missing))}" if claimed_wheels else ""
    what = (
        f'"{claim.option}" ({", ".join(sorted(methods))}) installs the {build} of torch '
        f"{claim.release} for {system}{for_pythons}, but the portal has no evidence for this "
        f"build: {RELEASES} lists {_wheels_text(listed_wheels)} for {system}"
    )
    remedy = (
        f"run accelerator-portal release add {claim.release}, add the build to {RELEASES} with a "
        "source, or restrict the option"
    )
    return catalog.by_id[claim.platform].option_problem(claim.option, what, remedy)


def _is_for_system(wheel: Wheel, claim: BuildClaim) -> bool:
    return wheel.os == claim.os and claim.arch in wheel.arch


def _is_claimed_build(wheel: Wheel, claim: BuildClaim) -> bool:
    """Return whether a wheel in `data/releases.yaml` is the build that a claim names.

    If `claim.build` is `pypi`, any wheel on PyPI is the build. If `claim.build` is a variant, any
    wheel of this variant is the build, also a wheel on PyPI: a wheel that is on PyPI and on the
    variant's index is listed only once.
    """
    return wheel.on == PYPI if claim.build == PYPI else wheel.variant == claim.build


def _wheel_pythons(wheel: Wheel, release: Release | None) -> tuple[str, ...]:
    return wheel.python or (release.python if release else ())


def _wheels_text(wheels: list[Wheel]) -> str:
    wheel_names = [f"{wheel.variant} (on PyPI)" if wheel.on else wheel.variant for wheel in wheels]
    return ", ".join(dict.fromkeys(wheel_names)) or "no build"
