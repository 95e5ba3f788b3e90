"""A PyTorch release is an entry of `data/releases.yaml`: no folder has to change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.versions_file import Release, Releases
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import NO_VARIANT, InstallRow

NEXT = "99.0.0"


def with_next_release(catalog: Catalog) -> Catalog:
    """The same data and one more release, which publishes what 2.14.0 published."""
    releases = catalog.releases
    like = releases.by_version["2.14.0"]
    fields = {name: getattr(like, name) for name in Release.model_fields}
    added = Release(**{**fields, "version": NEXT})
    others = {name: getattr(releases, name) for name in Releases.model_fields}
    return replace(
        catalog, releases=Releases(**{**others, "releases": (added, *releases.releases)})
    )


def of_release(rows: Iterable[InstallRow], version: str) -> set[tuple[str, ...]]:
    return {
        (row.platform, row.variant, row.os, row.arch, row.method)
        for row in rows
        if row.build == version
    }


@pytest.fixture(scope="module")
def rows(catalog: Catalog) -> tuple[InstallRow, ...]:
    found, problems = expand(with_next_release(catalog))
    assert problems == ()
    return found


@pytest.mark.parametrize("platform", ["cpu", "cuda", "rocm", "mps", "xpu"])
def test_every_method_follows_what_the_release_publishes(
    platform: str, catalog: Catalog, rows: tuple[InstallRow, ...]
) -> None:
    """Wheels, images, archives and the source; for CPU, MPS and XPU the source of 2.15 on."""
    before = {row for row in of_release(rows, "2.14.0") if row[0] == platform}
    after = {row for row in of_release(rows, NEXT) if row[0] == platform}
    published = {wheel.variant for wheel in catalog.releases.by_version["2.14.0"].wheels}
    own = {row for row in before if row[1] not in {*published, NO_VARIANT}}  # the vendor's index
    assert before - own <= after
    assert {row[-1] for row in after - before} <= {"source"}


def test_an_image_is_offered_only_where_the_release_names_it(
    catalog: Catalog, rows: tuple[InstallRow, ...]
) -> None:
    images = {row[1] for row in of_release(rows, NEXT) if row[0] == "cuda" and row[-1] == "docker"}
    assert images == {image.variant for image in catalog.releases.by_version["2.14.0"].images}
    named = next(row for row in rows if row.build == NEXT and row.method == "docker")
    assert NEXT in named.commands[0]
    released = of_release(expand(catalog)[0], "2.15.0")
    assert not any(row[0] == "cuda" and row[-1] == "docker" for row in released)
