"""What `data/releases.yaml` says of wheels on PyPI is compared with what PyPI has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts, ReleaseFacts
from accelerator_portal.packages.contradictions import REMEDY, torch_contradictions
from accelerator_reports.files.problem import Problem
from tests.folders import EXAMPLE, RELEASES, Tree, edited, loaded
from tests.portal.packages.made_up import ARM, X86

ALL = "cp312 cp313 cp313t"
ON_PYPI = "{variant: ex2, os: linux, arch: [x86_64, aarch64], on: pypi}"
CUDA = (RELEASES, ON_PYPI, ON_PYPI.replace("ex2", "cu130"))
MUSL = "musllinux_1_2_x86_64"


@pytest.fixture
def releases(tree: Tree) -> Catalog:
    """Torch 1.10.0 of 2026-01-01, with wheels of the variant `ex2` for Linux on PyPI."""
    return loaded(tree(EXAMPLE))


def with_torch(catalog: Catalog, *releases: ReleaseFacts, index: str = "pypi") -> Catalog:
    facts = IndexFacts(index=index, releases=releases)
    return replace(catalog, packages={"torch": PackageFacts(package="torch", indexes=(facts,))})


def torch(version: str = "1.10.0", **said: object) -> ReleaseFacts:
    fields = {"wheels": {X86: ALL, ARM: ALL}, **said}
    return ReleaseFacts.model_validate({"version": version, **fields})


def found(catalog: Catalog) -> list[str]:
    return [problem.what for problem in torch_contradictions(catalog)]


def test_where_nothing_is_known_nothing_contradicts(releases: Catalog) -> None:
    assert found(releases) == []
    assert found(with_torch(releases)) == []
    assert found(with_torch(releases, torch(wheels={}), index="https://example.org/simple")) == []
    assert found(with_torch(releases, torch("1.10.1", wheels={}))) == []
    assert found(with_torch(releases, torch("1.11.0", wheels={X86: "cp312"}))) == []


def test_files_may_be_a_week_from_the_announcement(releases: Catalog) -> None:
    said = 'the release is dated "2026-01-01", but PyPI (data/packages/torch.json:7) has its files'
    for date in ("2025-12-25", "2026-01-08"):
        assert found(with_torch(releases, torch(date=date))) == []
    for date in ("2025-12-24", "2026-01-09"):
        assert found(with_torch(releases, torch(date=date))) == [f"{said} from {date}"]


def test_a_release_that_is_not_known_does_not_hide_the_next(releases: Catalog) -> None:
    (what,) = found(with_torch(releases, torch("1.9.1", date="2026-01-01")))
    assert what.startswith('the release is dated "2025-06-01"')


def test_a_problem_names_its_line_and_what_would_be_right(releases: Catalog) -> None:
    catalog = with_torch(releases, torch("2.0"), torch(date="2026-02-01", wheels={MUSL: ALL}))
    lines = releases.files[RELEASES]
    dated, *wheels = torch_contradictions(catalog)
    assert dated == Problem(
        RELEASES,
        lines.line(("releases", 0, "date")),
        (
            'the release is dated "2026-01-01", but PyPI (data/packages/torch.json:8) has its '
            "files from 2026-02-01"
        ),
        REMEDY,
    )
    (number,) = (
        number
        for number, wheel in enumerate(catalog.releases.releases[0].wheels)
        if wheel.on == "pypi"
    )
    assert {problem.line for problem in wheels} == {lines.line(("releases", 0, "wheels", number))}
    assert [problem.what for problem in wheels] == [
        (
            f'torch 1.10.0 is listed as "ex2" for linux {arch} on PyPI, but PyPI '
            "(data/packages/torch.json:8) has no such wheel"
        )
        for arch in ("x86_64", "aarch64")
    ]


def test_each_python_must_have_a_wheel(releases: Catalog) -> None:
    (what,) = found(with_torch(releases, torch(wheels={X86: "cp312", ARM: ALL})))
    assert what == (
        'torch 1.10.0 is listed as "ex2" for linux x86_64 on PyPI for Python 3.13, 3.13t, '
        "but PyPI (data/packages/torch.json:7) has wheels only for cp312"
    )


def test_a_wheel_may_be_for_fewer_pythons_than_the_release(tree: Tree) -> None:
    fewer = (RELEASES, ON_PYPI, ON_PYPI.replace("on: pypi", 'on: pypi, python: ["3.12"]'))
    catalog = loaded(tree(edited(fewer, files=EXAMPLE)))
    assert found(with_torch(catalog, torch(wheels={X86: "cp312", ARM: "cp312"}))) == []


def test_the_cuda_version_is_the_variant_s(tree: Tree) -> None:
    catalog = loaded(tree(edited(CUDA, files=EXAMPLE)))
    says = "but PyPI (data/packages/torch.json:7) says that the wheel requires CUDA"
    for cuda, expected in (
        ({X86: "13.0"}, []),
        ({"win_amd64": "12.8"}, []),
        ({X86: "12.8", ARM: "13.0"}, ["x86_64"]),
    ):
        problems = found(with_torch(catalog, torch(cuda=cuda)))
        assert problems == [
            f'torch 1.10.0 is listed as "cu130" for linux {arch} on PyPI, {says} 12.8'
            for arch in expected
        ]
