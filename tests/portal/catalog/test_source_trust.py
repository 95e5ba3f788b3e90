from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import (
    TrustLevel,
    facts,
    site_of_url,
    trust_level,
    vendor_sites,
)
from accelerator_reports.files.sources import Source
from tests.folders import ACCELERATOR, EXAMPLE, Tree, edited, loaded

VENDOR = frozenset({"github.com/ascend", "hiascend.com"})
OWN = "https://github.com/pytorch-fdn/accelerator-test-infra"


@pytest.mark.parametrize(
    ("url", "level"),
    [
        (None, "metadata"),
        ("https://download.pytorch.org/whl/torch/", "metadata"),
        ("https://dl.example.org/api/simple/torch-example/", "metadata"),
        ("https://github.com/somebody/examples/blob/9e73/simple/README.md", "other"),
        (f"{OWN}/blob/main/accelerators/cpu/results/cpu.json", "test"),
        (f"{OWN}/actions/runs/12", "test"),
        ("https://github.com/Ascend/pytorch/blob/9e73/README.md", "vendor"),
        ("https://www.hiascend.com/document/x", "vendor"),
        ("https://docs.pytorch.org/docs/stable/", "vendor"),
        ("https://raw.githubusercontent.com/pytorch/pytorch/main/a", "vendor"),
        ("https://github.com/somebody/pytorch/blob/9e73/README.md", "other"),
        ("https://news.example.com/card", "other"),
        ("https://github.com/Ascend/pytorch/issues/12", "thread"),
        ("https://github.com/pytorch/pytorch/pull/12", "thread"),
        ("https://gitlab.com/ascend/pytorch/-/issues/12", "thread"),
        ("https://discuss.pytorch.org/t/x/1", "thread"),
        ("https://forums.developer.nvidia.com/t/x", "thread"),
        ("https://www.hiascend.com/forum/thread-0211417-1-1.html", "thread"),
    ],
)
def test_the_level_follows_from_the_address_and_the_vendor_s_links(
    url: str | None, level: TrustLevel
) -> None:
    fields = {"url": url} if url else {"package": "torch"}
    source = Source.model_validate({"title": "T", "read": "2026-01-02", **fields})
    assert trust_level(source, VENDOR) == level


def test_what_this_project_ran_is_its_own_test() -> None:
    fields = {"title": "T", "read": "2026-01-02", "run_here": True}
    assert trust_level(Source.model_validate({"package": "torch", **fields})) == "test"
    with pytest.raises(ValidationError, match="run_here needs a package"):
        Source.model_validate({"url": "https://example.org/a", **fields})


@pytest.mark.parametrize(
    ("url", "whose"),
    [
        ("https://github.com/ROCm/rocm-docs/blob/a/b", "github.com/rocm"),
        ("https://rocm.docs.amd.com/en/latest/", "amd.com"),
        ("https://aws.readthedocs-hosted.com/en", "aws.readthedocs-hosted.com"),
        ("https://intel.github.io/x", "intel.github.io"),
        ("https://www.paddlepaddle.org.cn/x", "paddlepaddle.org.cn"),
        ("https://docs.example.co.jp/x", "example.co.jp"),
        ("https://github.com/", "github.com/"),
        ("https://github.com", "github.com/"),
    ],
)  # fmt: skip
def test_a_place_is_an_owner_or_a_domain(url: str, whose: str) -> None:
    assert site_of_url(url) == whose


def test_a_vendor_s_places_are_those_of_its_own_links(tree: Tree) -> None:
    platform = loaded(tree(EXAMPLE)).by_id["example"]
    assert vendor_sites(platform.accelerator) == {"example.org"}
    support = (ACCELERATOR, "support:\n", "own_sites: [gitcode.com/example]\nsupport:\n")
    platform = loaded(tree(edited(support))).by_id["example"]
    assert vendor_sites(platform.accelerator) == {"example.org", "gitcode.com/example"}
    source = {"url": "https://gitcode.com/Example/a", "title": "T", "read": "2026-01-02"}
    trust = trust_level(Source.model_validate(source), vendor_sites(platform.accelerator))
    assert trust == "vendor"


def test_a_project_of_several_vendors_is_nobody_s_own(catalog: Catalog) -> None:
    """A platform that links FlagOS or vLLM for help does not make them its vendor."""
    shared = {"github.com/flagos-ai", "github.com/vllm-project"}
    linked = {
        site_of_url(link)
        for platform in catalog.platforms
        for link in [
            *(page.url for page in platform.accelerator.documentation),
            *(channel.url for channel in platform.accelerator.support),
        ]
    }
    assert shared <= linked
    for platform in catalog.platforms:
        assert not shared & vendor_sites(platform.accelerator)


def test_every_source_that_says_run_here_is_marked_so(catalog: Catalog) -> None:
    """A title that names a run of this project has the level of a test."""
    sources = [s for fact in facts(catalog) for s in fact.sources]
    said = [s for s in sources if re.search(r"\b(?:run|tried) here on 20", s.title)]
    assert said
    assert {trust_level(source) for source in said} == {"test"}
