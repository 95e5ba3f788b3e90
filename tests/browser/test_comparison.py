"""The comparison: two to four platforms, kept in the address; the filters of the hardware."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.browser.visit import DESKTOP, PHONE, OpenPage, expect
from tests.built_site import Site


def columns(page: Page) -> list[str]:
    heads = page.locator(".comparison thead th:visible")
    return [str(head.get_attribute("data-platform")) for head in heads.all()]


@pytest.mark.parametrize(
    ("address", "shown", "words"),
    [
        ("?with=cuda,rocm", ["cuda", "rocm"], "2 platforms are shown."),
        ("?with=rocm,cuda,rocm", ["cuda", "rocm"], "2 platforms are shown."),
        ("?with=gaudi&with=rocm", ["rocm", "gaudi"], "2 platforms are shown."),
        ("?with=cuda", ["cuda"], "Choose one to three more."),
        ("?with=cuda,nonsense", ["cuda"], "There is no platform “nonsense”; ignored."),
        ("?with=<b>x</b>,cuda,xpu", ["cuda", "xpu"], "There is no platform “<b>x</b>”; ignored."),
        (
            "?with=cpu,cuda,mps,rocm,xpu",
            ["cpu", "cuda", "mps", "rocm"],
            "Only the first 4 platforms of the address are shown.",
        ),
        ("?with=%E0%A4%A", None, "is shown"),
        ("?with=", None, "All"),
    ],
)
def test_the_address_says_what_is_shown(
    open_page: OpenPage, site: Site, address: str, shown: list[str] | None, words: str
) -> None:
    page = open_page(f"compare/{address}")
    everything = [platform.id for platform in site.catalog.platforms]
    expect(page.locator(".comparison-choice .filters-state")).to_contain_text(
        words.replace("is shown", "shown")
    )
    assert columns(page) == (everything if shown is None else shown)


def test_a_choice_goes_into_the_address_and_back(open_page: OpenPage) -> None:
    page = open_page("compare/")
    for platform in ("xpu", "cuda", "rocm", "mps"):
        page.locator(f"input[value={platform}]").check()
    assert page.url.endswith("?with=cuda,mps,rocm,xpu")
    expect(page.locator("input[value=cpu]")).to_be_disabled()
    page.locator("input[value=mps]").uncheck()
    expect(page.locator("input[value=cpu]")).to_be_enabled()
    page.reload()
    assert columns(page) == ["cuda", "rocm", "xpu"]
    expect(page.locator("input[value=xpu]")).to_be_checked()


def test_without_scripts_every_platform_is_there(open_page: OpenPage, site: Site) -> None:
    page = open_page("compare/?with=cuda", java_script_enabled=False)
    expect(page.locator(".comparison-choice")).to_be_hidden()
    assert len(columns(page)) == len(site.catalog.platforms)


def test_the_hardware_is_filtered_by_purpose_and_figures(open_page: OpenPage) -> None:
    page = open_page("hardware/")
    rows = page.locator(".card-row:visible")
    everything = rows.count()
    page.locator("input[name=memory]").fill("141")
    page.locator("select[name=platform]").select_option("cuda")
    expect(page.locator("form[data-filters] .filters-state")).to_contain_text(
        f"of {everything} models"
    )
    names = [row.inner_text() for row in rows.locator("th").all()]
    assert "H200 SXM" in " ".join(names)
    assert 0 < len(names) < everything
    figures = [float(str(row.get_attribute("data-memory"))) for row in rows.all()]
    assert min(figures) >= 141
    page.locator("input[name=power]").fill("1")
    expect(page.locator("form[data-filters] .filters-state")).to_contain_text("Showing 0 of")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_features_of_few_platforms_fit_the_page(
    open_page: OpenPage, viewport: ViewportSize
) -> None:
    page = open_page("features/?with=cuda", viewport=viewport)
    heads = page.locator(".features thead th:visible")
    expect(heads).to_have_count(1)
    box = page.locator(".table-box:has(.features)")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    page.locator("input[value=rocm]").check()
    expect(heads).to_have_text(["CUDA", "ROCm"])
    assert page.url.endswith("?with=cuda,rocm")


def test_the_features_begin_with_the_usual_platforms_and_can_show_all(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("features/")
    heads = page.locator(".features thead th:visible")
    expect(heads).to_have_count(2)
    while page.locator("input[name=with]:checked").count():
        page.locator("input[name=with]:checked").first.uncheck()
    expect(heads).to_have_count(len(site.catalog.platforms))
    page.reload()
    expect(heads).to_have_count(len(site.catalog.platforms))
    page.locator("input[value=cuda]").check()
    expect(heads).to_have_text(["CUDA"])
    page.get_by_role("button", name="Show all").click()
    expect(heads).to_have_count(len(site.catalog.platforms))
    expect(page.locator("input[name=with]:checked")).to_have_count(0)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_platforms_with_a_feature_are_seen_without_a_choice(
    open_page: OpenPage, site: Site, viewport: ViewportSize
) -> None:
    page = open_page("features/", viewport=viewport)
    row = page.locator(".features-overview > div", has_text="FSDP and DTensor")
    works = [
        p.accelerator.name
        for p in site.catalog.platforms
        if (fsdp := p.accelerator.features.get("fsdp")) and fsdp.works == "yes"
    ]
    expect(row.locator("p").first).to_have_text("✓ stated to work " + ", ".join(works))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
