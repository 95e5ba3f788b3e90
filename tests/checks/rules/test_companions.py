from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from tests.folders import INSTALL, RELEASES, REPOSITORY, Edit, ProblemsAfter

TABLE: Edit = (
    RELEASES,
    "releases:\n",
    """companions:
  - {package: torchaudio, version: "1.11.0", torch: ">=1.11", source: made-up}
  - {package: torchaudio, version: "1.10.0", torch: "==1.10.0", source: made-up}
  - {package: torchaudio, version: "1.9.1", torch: "==1.9.1", source: made-up}
  - {package: torchtext, version: "0.1.0", torch: "<1.9", source: made-up}
releases:
""",
)


def packages(*names: str, torch: str = '"torch=={torch}"') -> Edit:
    return INSTALL, '["torch=={torch}"]', f"[{', '.join((torch, *names))}]"


def test_an_unpinned_companion_is_named_with_the_version_that_fits(
    problems_after: ProblemsAfter,
) -> None:
    problems = problems_after(TABLE, packages("torchaudio"))
    where = f'{INSTALL}:21: "torchaudio" next to torch==' + "{0} is not pinned to a version; "
    assert problems == [
        where.format(torch) + f"write torchaudio=={torch}, or leave torchaudio out"
        for torch in ("1.10.0", "1.9.1")
    ]


def test_a_version_for_another_torch_is_named(problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after(TABLE, packages('"torchaudio==1.10.0"'))
    assert problem.endswith(
        f'"torchaudio==1.10.0" does not support torch 1.9.1: {RELEASES} lists 1.9.1 for torch '
        "1.9.1; write torchaudio==1.9.1, or leave torchaudio out"
    )


def test_a_companion_that_ended_is_left_out(problems_after: ProblemsAfter) -> None:
    for problem in problems_after(TABLE, packages('"torchtext==0.1.0"')):
        assert problem.endswith("; leave torchtext out")


@pytest.mark.parametrize(
    "names",
    [
        ('"torchaudio=={torch}"',),
        ('"torchaudio=={torch}.post1+ex2"', '"TorchAudio==7+vendor.1"'),
        ('"torchaudio=={torch}+cu130"',),
        ("other",),
        (),
    ],
)
def test_pinned_versions_that_fit_and_vendors_builds_are_fine(
    names: tuple[str, ...], problems_after: ProblemsAfter
) -> None:
    assert problems_after(TABLE, packages(*names)) == []


def test_a_command_that_pins_no_torch_may_leave_all_open(problems_after: ProblemsAfter) -> None:
    assert problems_after(TABLE, packages("torchaudio", torch="torch")) == []


def test_the_releases_list_what_torchaudio_supports() -> None:
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog is not None
    fits = {r.version: catalog.releases.companions_of(r.version) for r in catalog.releases.releases}
    assert fits["2.9.0"]["torchaudio"] == ("2.9.0",)
    assert fits["2.9.0"]["torchvision"] == ("0.24.0",)
    assert fits["2.13.0"]["torchaudio"] == ("2.11.0",)
    assert {found["torchtext"] for found in fits.values()} == {()}
    assert all(found["triton"] for found in fits.values())
