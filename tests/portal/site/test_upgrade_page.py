"""The page of what each release removes and adds, and the text of the install selector."""

from __future__ import annotations

import json
import re

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.site.pages import api, upgrades
from accelerator_portal.site.pages.upgrades import removed_words, step_anchor
from tests.portal.site.unbuilt import rendered, unbuilt


@pytest.fixture(scope="module")
def text(frozen: Catalog) -> str:
    site = unbuilt(frozen)
    return rendered(site, upgrades.pages(site))["versions/upgrade.md"].content


def row_of(text: str, anchor: str) -> str:
    (row,) = re.findall(rf'<tr id="{re.escape(anchor)}">(.*?)</tr>', text, re.DOTALL)
    return str(row)


def test_a_row_has_what_left_and_what_is_new(text: str) -> None:
    row = row_of(text, "rocm-2.10")
    assert '2.9.1 → <a href="../../versions/2.10.0/">2.10.0</a>' in row
    _, removed, new, _, _ = re.findall("<t[hd].*?(?=<t[hd]|$)", row, re.DOTALL)
    assert "ROCm 6.4, ROCm 6.3" in removed
    assert "GCN5.1 (LLVM target gfx906)" in removed
    assert "ROCm 7.1, ROCm 7.0" in new


def test_what_is_not_stated_is_said_and_not_removed(text: str) -> None:
    cuda, ascend = row_of(text, "cuda-2.15"), row_of(text, "ascend-2.15")
    assert "Not stated: builds in PyTorch’s own index." in cuda
    assert "Build on PyPI for Linux x86-64: CUDA 13.0 → CUDA 13.2" in cuda
    assert "No version for PyTorch 2.15.0 as of 2026-11-23." in ascend
    assert "CANN: 9.1, 9.1.0 → not stated" in row_of(text, "ascend-2.13")


def test_citations_lead_to_the_list_of_the_page_or_of_the_platform(text: str) -> None:
    anchors = {*re.findall(r'<li id="(source-[^"]+)"', text)}
    cited = re.findall(r'<a href="([^"]*)#(source-[^"]+)"', text)
    assert {page for page, _ in cited} > {"", "../../compute-platforms/rocm/"}
    assert {anchor for page, anchor in cited if not page} == anchors


def test_every_platform_with_steps_has_its_newest_one_in_view(frozen: Catalog, text: str) -> None:
    in_view = re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)
    for platform, steps in upgrades.upgrade_data(frozen).platforms.items():
        assert f'<tr id="{step_anchor(platform, steps[0].after)}">' in in_view
        anchors = re.findall(rf'<tr id="({re.escape(platform)}-[\d.]+)">', text)
        assert anchors == [step_anchor(platform, step.after) for step in steps]


def test_the_selector_gets_the_text_of_each_release(frozen: Catalog) -> None:
    site = unbuilt(frozen)
    files = {file.path: file for file in api.data(site)}
    removed = json.loads(files["api/v1/install/rocm.json"].content)["removed"]
    assert removed["2.14.1"] == "Removed since PyTorch 2.13.0: ROCm 7.1."
    assert "2.13.0" not in removed
    assert removed == removed_words(frozen, "rocm")


def test_the_json_leaves_out_what_is_empty(frozen: Catalog) -> None:
    (file,) = upgrades.data(unbuilt(frozen))
    steps = json.loads(file.content)["platforms"]["cuda"]
    assert upgrades.UpgradeData.model_validate_json(file.content) == upgrades.upgrade_data(frozen)
    assert steps[0]["unstated"]
    assert "unstated" not in steps[1]
