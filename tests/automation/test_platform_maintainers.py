from __future__ import annotations

from accelerator_automation.github.comments import (
    MOST_FOLDERS,
    changed_platforms,
    maintainers,
    notices,
)
from accelerator_portal.catalog import Catalog

BASE = {"xpu": ["Alice", "bob"], "cpu": [], "cuda": ["carol"]}


def test_folders_are_those_of_vendors() -> None:
    files = ["accelerators/xpu/faq.md", "accelerators/xpu/results/a.json", "data/releases.yaml"]
    files += [
        "accelerators/README.md",
        "accelerators/../x/y",
        "xaccelerators/cpu/a",
        "accelerators/@b/c",
    ]
    assert changed_platforms(files) == ["xpu"]


def test_a_maintainer_is_one_whatever_the_case() -> None:
    assert notices(BASE, ["xpu"], "alice") == []


def test_who_is_not_among_them_is_told_so() -> None:
    assert notices(BASE, ["cpu", "cuda", "new", "xpu"], "eve") == [
        "`accelerators/cpu/` has no maintainer. The author is `eve`.",
        "The author, `eve`, is not a maintainer of `accelerators/cuda/`: `carol`.",
        "`accelerators/new/` is new and has no maintainer yet. The author is `eve`.",
        "The author, `eve`, is not a maintainer of `accelerators/xpu/`: `Alice`, `bob`.",
    ]


def test_there_are_not_more_notices_than_anybody_reads() -> None:
    found = notices({}, [f"p{n:03}" for n in range(MOST_FOLDERS + 7)], "eve")
    assert len(found) == MOST_FOLDERS + 1
    assert found[-1] == "… and 7 more folders."


def test_the_base_says_who_maintains_what(catalog: Catalog) -> None:
    found = maintainers(catalog)
    assert set(found) == {platform.id for platform in catalog.platforms}
    assert any(found.values())
