"""Answers that follow from the catalog: operators without a kernel, releases that an index lacks."""

from __future__ import annotations

from accelerator_portal.catalog import Catalog
from accelerator_portal.packages.plugin_releases import final_plugin_releases
from accelerator_portal.site.computed_answers import computed_sections, shared_computed_sections


def messages(catalog: Catalog, platform: str) -> dict[str, list[str]]:
    (found,) = (p for p in catalog.platforms if p.id == platform)
    return {
        section.title: [block.text for block in section.messages]
        for section in computed_sections(catalog, found)
    }


def test_an_operator_is_missing_under_the_key_or_the_device_that_is_the_platform_s_alone(
    catalog: Catalog,
) -> None:
    for platform, name in (("gaudi", "HPU"), ("ascend", "npu"), ("xpu", "XPU")):
        texts = [text for found in messages(catalog, platform).values() for text in found]
        assert f"with arguments from the …{name}' backend" in texts


def test_a_key_that_several_platforms_share_names_none_of_them(catalog: Catalog) -> None:
    shared = "with arguments from the …PrivateUse1' backend"
    for platform in catalog.platforms:
        assert all(shared not in found for found in messages(catalog, platform.id).values())
    section, others = shared_computed_sections(catalog)
    assert [block.text for block in others.messages] == ["arguments from the …backend"]
    assert [block.text for block in section.messages] == [shared]
    for platform in catalog.platforms:
        is_own = platform.accelerator.dispatch_key.value == "PrivateUse1"
        assert (f"/compute-platforms/{platform.id}/" in section.text) == is_own


def test_the_releases_are_those_of_the_index(catalog: Catalog) -> None:
    (ascend,) = (p for p in catalog.platforms if p.id == "ascend")
    newest, *_ = final_plugin_releases(catalog, ascend)
    text = computed_sections(catalog, ascend)[-1].text
    (row,) = (line for line in text.splitlines() if line.startswith(f"- {newest.facts.version}:"))
    assert "requires `torch==" in row
    assert "Linux x86_64" in row
    found = [text for texts in messages(catalog, "ascend").values() for text in texts]
    assert "No matching distribution found for torch-npu" in found
    assert "No matching distribution found for torch_npu" in found


def test_a_package_whose_releases_are_unknown_is_found_on_the_platform_s_page(
    catalog: Catalog,
) -> None:
    found = messages(catalog, "mlu")["Why does pip not find torch_mlu?"]
    assert "No matching distribution found for torch_mlu" in found
    for platform in ("cuda", "sophgo"):  # torch itself, and a name that two platforms have
        assert not [title for title in messages(catalog, platform) if "pip not find" in title]
