"""Each page names the same newest PyTorch release of a platform."""

from __future__ import annotations

from packaging.version import Version

from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import PREVIEW
from tests.built_site import Page, Site, attribute


def _card_releases(page: Page) -> dict[str, str]:
    """The newest release on each card, by platform."""
    found = {}
    for card in page.tree.css(".card"):
        facts = {row.css("dt")[0].text(): row.css("dd")[0].text() for row in card.css("dl div")}
        found[attribute(card.css("a")[0], "href").split("/")[-2]] = facts["Newest PyTorch"]
    return found


def _matrix_releases(page: Page) -> dict[str, str]:
    """The first release with a command other than from source, by platform."""
    headings = [
        cell.text().split()[0]
        for cell in page.tree.css(".release-matrix thead th:not(:first-child)")
    ]
    found = {}
    for row in page.tree.css(".release-matrix tbody tr"):
        for version, cell in zip(headings, row.css("td"), strict=True):
            if (link := cell.css_first("a:not(.nearest)")) and link.text() != "from source":
                found[attribute(row.css("th a")[0], "href").split("/")[-2]] = version
                break
    return found


def test_cards_comparison_selector_and_versions_name_the_same_release(site: Site) -> None:
    home, overview = (_card_releases(site.pages[at]) for at in ("", "compute-platforms/"))
    matrix = _matrix_releases(site.pages["versions/"])
    rows = site.pages["compare/"].tree.css("tr")
    (row,) = [row for row in rows if row.css("th")[0].text() == "Newest PyTorch"]
    compared = {attribute(c, "data-platform"): c.text(separator=" ").split() for c in row.css("td")}
    assert home == overview
    for platform in site.catalog.platforms:
        followed = supported_releases(site.catalog, platform)
        builds = {
            row.build
            for row in site.selector.rows_of(platform.id)
            if row.method != "source" and row.build != PREVIEW
        }
        selected = max(builds, key=Version, default=None)
        suffix = "" if followed.has_command else ", no command"
        assert home[platform.id] == f"{followed.newest}{suffix}", platform.id
        assert compared[platform.id][0] == followed.newest, platform.id
        assert (matrix.get(platform.id), selected) == (
            (followed.newest, followed.newest) if followed.has_command else (None, None)
        ), platform.id
