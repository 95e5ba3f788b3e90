"""The filters of the page of all hardware."""

from __future__ import annotations

from tests.browser.visit import OpenPage, expect


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
