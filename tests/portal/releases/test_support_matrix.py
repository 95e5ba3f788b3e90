"""The matrix of RELEASE.md next to the portal's releases."""

from __future__ import annotations

import pytest

from accelerator_portal.releases.upstream_commands import UpstreamSourceError
from accelerator_portal.releases.upstream_lists import (
    compare_support,
    has_support_matrix,
    read_support_matrix,
)
from tests.portal.releases.portal_releases import RELEASES

HEAD = """\
# Releasing

| PyTorch version | Python | C++ | Stable CUDA | Experimental CUDA | Stable ROCm |
| --- | --- | --- | --- | --- | --- |
"""
NEW = (
    "| 2.9 | >=3.10, <=(3.14, 3.14t experimental) | C++17 | CUDA 13.0 (CUDNN 9.1) | -- | ROCm 7.1 |"
)
OLD = "| 2.8 | >=3.9, <=3.10, (3.11 experimental) | C++17 | CUDA 12.6 | CUDA 12.9 | ROCm 6.4 |"


def lines(*rows: str) -> list[str]:
    found = compare_support(RELEASES, read_support_matrix(HEAD + "\n".join(rows) + "\n\ntext"))
    return [f"{e.agreement} {e.release} {e.build} {e.words}".rstrip() for e in found.entries]


def test_variants_of_all_releases_of_a_row() -> None:
    assert lines(NEW) == [
        "same 2.9 Python",
        "extra 2.9 cu126",
        "extra 2.9 cu128",
        "same 2.9 cu130",
        "same 2.9 rocm7.1",
    ]


def test_variants_that_the_portal_lacks() -> None:
    assert lines(OLD) == [
        "same 2.8 Python",
        "same 2.8 cu126",
        "missing 2.8 cu129",
        "missing 2.8 rocm6.4",
    ]


@pytest.mark.parametrize(
    ("python", "words"),
    [
        (">=3.10, <=3.13", ""),
        (">=3.10, <=3.12, (3.13, 3.13t experimental)", ""),
        (">=3.9, <=3.13", "only upstream: 3.9"),
        (">=3.11, <=3.12", "only the portal: 3.10, 3.13, 3.13t"),
    ],
)
def test_python_versions(python: str, words: str) -> None:
    row = NEW.replace(">=3.10, <=(3.14, 3.14t experimental)", python)
    found = next(line for line in lines(row) if " Python" in line)
    assert found == (f"differs 2.9 Python {words}" if words else "same 2.9 Python")


def test_releases_of_one_side() -> None:
    text = HEAD + "\n".join([NEW.replace("2.9", "2.10"), OLD, OLD.replace("2.8", "2.3")])
    found = compare_support(RELEASES, read_support_matrix(text))
    assert (found.only_upstream, found.only_portal) == (("2.10",), ("2.9",))


@pytest.mark.parametrize(
    "row", ["", "| 2.x | >=3.9, <=3.10 |", "| 2.8 | any |", "| 2.8 | >=3.9 |", "| 2.8 |"]
)
def test_a_matrix_that_cannot_be_read(row: str) -> None:
    assert has_support_matrix(HEAD)
    with pytest.raises(UpstreamSourceError, match="release compatibility matrix"):
        read_support_matrix(HEAD + row)


def test_a_text_without_a_matrix() -> None:
    assert not has_support_matrix("# Releasing\n\n| Minor Version | Release date |\n")
