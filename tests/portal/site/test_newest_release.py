"""Each page names the same newest PyTorch release of a platform."""

from __future__ import annotations

from packaging.version import Version

from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.install.rows import PREVIEW
from tests.built_site import Page, Site, attribute, grid_cells, marks


def _card_releases(page: Page) -> dict[str, str]:
    """The newest release on each card, by platform."""
    found = {}
    for card in page.tree.css(".card"):
        facts = {row.css("dt")[0].text(): row.css("dd")[0].text() for row in card.css("dl div")}
        found[attribute(card.css("a")[0], "href").split("/")[-2]] = facts["Newest PyTorch"]
    return found


def test_every_page_names_the_same_newest_release(site: Site) -> None:
    home, versions, compared = (
        grid_cells(site.pages[address]) for address in ("", "versions/", "compare/")
    )
    cards = _card_releases(site.pages["compute-platforms/"])
    (row,) = [
        attribute(row, "data-row")
        for row in site.pages["compare/"].tree.css("[data-row]")
        if row.css("th")[0].text() == "Newest PyTorch"
    ]
    releases = [release.version for release in site.catalog.releases.releases]
    for platform in site.catalog.platforms:
        followed = supported_releases(site.catalog, platform)
        builds = {
            row.build
            for row in site.selector.rows_of(platform.id)
            if row.method != "source" and row.build != PREVIEW
        }
        selected = max(builds, key=Version, default=None)
        without = "" if followed.has_command else "no command"
        assert cards[platform.id] == f"{followed.newest}{', ' * bool(without)}{without}"
        for cells in (home, versions):
            assert cells[platform.id, "newest"].text() == f"{followed.newest} {without}".strip()
        assert compared[row, platform.id].text(separator=" ").split()[0] == followed.newest
        with_command = [
            release
            for release in releases
            if (cell := versions.get((platform.id, release))) and "part" not in marks(cell)[0]
        ]
        assert (next(iter(with_command), None), selected) == (
            (followed.newest, followed.newest) if followed.has_command else (None, None)
        ), platform.id
