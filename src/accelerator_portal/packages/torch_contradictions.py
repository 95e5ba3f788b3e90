"""`data/releases.yaml` beside what PyPI says of torch: wheels, Python, CUDA, dates."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.package_file import PACKAGES, PYPI, PackageFacts, ReleaseFacts
from accelerator_portal.catalog.releases_file import Release, Wheel
from accelerator_portal.packages.facts_text import line_of
from accelerator_portal.packages.fitting import labels_on
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.packages.wheel_tags import runs_on, serves_python

# Files are uploaded days before a release is announced, or a wheel is added a day later.
_MOST_DAYS = 7

REMEDY = "correct the value, or add a note that explains why both are correct"


def torch_contradictions(catalog: Catalog) -> Iterator[Problem]:
    """Yield what `data/releases.yaml` says of wheels on PyPI that PyPI contradicts."""
    facts = catalog.packages.get(TORCH)
    on_pypi = facts.on(PYPI) if facts else None
    if facts is None or on_pypi is None:
        return
    known = {Version(release.version): release for release in on_pypi.releases}
    for place, release in enumerate(catalog.releases.releases):
        found = known.get(Version(release.version))
        if found is None:
            continue
        where = f"PyPI ({PACKAGES}/{TORCH}.json:{_line(facts, found)})"
        for at, what in _compared(release, found, where):
            line = catalog.files[RELEASES].line(("releases", place, *at))
            yield Problem(RELEASES, line, what, REMEDY)


def _line(facts: PackageFacts, found: ReleaseFacts) -> int:
    return line_of(facts, PYPI, found.version)


def _compared(
    release: Release, found: ReleaseFacts, where: str
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if found.date and abs((found.date - release.date).days) > _MOST_DAYS:
        what = f'the release is dated "{release.date}", but {where} has its files from {found.date}'
        yield ("date",), what
    for number, wheel in enumerate(release.wheels):
        if wheel.on == PYPI:
            for what in _wheel(release, wheel, found, where):
                yield ("wheels", number), what


def _wheel(release: Release, wheel: Wheel, found: ReleaseFacts, where: str) -> Iterator[str]:
    for arch in wheel.arch:
        named = f'"{wheel.variant}" for {wheel.os} {arch} on PyPI'
        labels = labels_on(found, wheel.os, arch)
        if not labels:
            yield f"torch {release.version} is listed as {named}, but {where} has no such wheel"
            continue
        pythons = wheel.python or release.python
        lacking = [python for python in pythons if not serves_python(labels, python)]
        if lacking:
            yield (
                f"torch {release.version} is listed as {named} for Python "
                f"{', '.join(lacking)}, but {where} has wheels only for {' '.join(labels)}"
            )
        cuda = {v for tag, v in found.cuda.items() if runs_on(tag, wheel.os, arch)}
        for version in sorted(cuda):
            if wheel.variant != f"cu{version.replace('.', '')}":
                yield (
                    f"torch {release.version} is listed as {named}, "
                    f"but {where} says that the wheel requires CUDA {version}"
                )
