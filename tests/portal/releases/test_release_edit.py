"""What the text of `data/releases.yaml` keeps, and what it cannot be edited for."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.versions_file import Releases
from accelerator_portal.releases.published_builds import PublishedBuild, PublishedRelease
from accelerator_portal.releases.release_entry import entry_change, read_releases, with_release
from accelerator_reports.files.problem import ProblemsError
from tests.folders import EXAMPLE

DAY = dt.date(2026, 2, 3)
TEXT = EXAMPLE[RELEASES]


def published(version: str, **fields: object) -> PublishedRelease:
    build = PublishedBuild("cpu", "linux", "x86_64", frozenset({"3.12"}), PYPI, frozenset())
    found = PublishedRelease(version, dt.date(2025, 7, 1), None, (build,), frozenset({PYPI}))
    return found if not fields else PublishedRelease(version, **fields)  # type: ignore[arg-type]


def listed(text: str) -> Releases:
    return read_releases(RELEASES, text)[0]


def added(text: str, release: PublishedRelease) -> str:
    return with_release(RELEASES, text, entry_change(release, listed(text)), DAY)


@pytest.mark.parametrize(
    ("version", "order"),
    [
        ("1.11.0", ["1.11.0", "1.10.0", "1.9.1"]),
        ("1.9.2", ["1.10.0", "1.9.2", "1.9.1"]),
        ("1.8.0", ["1.10.0", "1.9.1", "1.8.0"]),
    ],
)
def test_an_entry_has_the_place_of_its_version(version: str, order: list[str]) -> None:
    text = TEXT.replace('  - version: "1.9.1"', '  # About 1.9.1.\n  - version: "1.9.1"')
    result = added(text, published(version))
    assert [release.version for release in read_releases(RELEASES, result)[0].releases] == order
    assert '  # About 1.9.1.\n  - version: "1.9.1"' in result


def test_a_wheel_is_one_line_in_the_style_of_the_file() -> None:
    tags = frozenset({"manylinux_2_28_x86_64", "manylinux_2_28_aarch64"})
    build = PublishedBuild("cpu", "linux", "x86_64", frozenset({"3.12"}), PYPI, tags, 120_000_000)
    lines = added(TEXT, published("1.11.0", builds=(build,), date=DAY)).split("\n")
    start = lines.index('  - version: "1.11.0"')
    assert lines[start + 1 : start + 6] == [
        "    date: 2026-02-03",
        '    python: ["3.12"]',
        "    source: torch-pypi-1-11-0",
        "    wheels:",
        (
            "      - {variant: cpu, os: linux, arch: [x86_64], on: pypi, "
            "tags: [manylinux_2_28_aarch64, manylinux_2_28_x86_64], "
            "size_mb: {x86_64: 120}, source: torch-pypi-1-11-0}"
        ),
    ]


def test_a_source_that_is_read_again_has_the_new_day() -> None:
    first = added(TEXT, published("1.11.0"))
    arm = PublishedBuild("cpu", "linux", "aarch64", frozenset({"3.12"}), PYPI, frozenset())
    both = (*published("1.11.0").builds, arm)
    change = entry_change(published("1.11.0", builds=both), listed(first))
    later = DAY + dt.timedelta(days=1)
    result = with_release(RELEASES, first, change, later)
    sources = read_releases(RELEASES, result)[0].sources
    assert sources["torch-pypi-1-11-0"].read == later
    assert sources["made-up"].read == dt.date(2026, 1, 2)


def test_wheels_and_torchvision_are_added_to_an_entry_whose_source_comes_last() -> None:
    change = published("1.9.1", builds=published("1.9.1").builds, torchvision="0.24.0")
    (entry,) = (r for r in listed(added(TEXT, change)).releases if r.version == "1.9.1")
    assert [wheel.variant for wheel in entry.wheels] == ["ex1", "cpu"]
    assert entry.torchvision == "0.24.0"
    assert entry.source == ("made-up", "torchvision-pypi-1-9-1")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (
            "sources:\n",
            "sources: # all\n",
            "the sources are not written as a block above the releases",
        ),
        ('  - version: "1.9.1"', "  - version: [", "not valid YAML"),
        ("preview:", "previews:", "the file is not valid, so no release can be added"),
    ],
)
def test_a_file_that_cannot_be_edited(old: str, new: str, what: str) -> None:
    change = entry_change(published("1.11.0"), listed(TEXT))
    with pytest.raises(ProblemsError) as raised:
        with_release(RELEASES, TEXT.replace(old, new, 1), change, DAY)
    assert what in str(raised.value.problems[0])


def test_wheels_on_several_lines_cannot_be_added_to() -> None:
    text = TEXT.replace(
        "      - {variant: ex1, os: linux, arch: [x86_64]}\n    source: made-up\n",
        "      - variant: ex1\n        os: linux\n        arch: [x86_64]\n    source: made-up\n",
    )
    with pytest.raises(ProblemsError) as raised:
        added(text, published("1.9.1"))
    assert "this wheel is not written on one line" in str(raised.value.problems[0])
