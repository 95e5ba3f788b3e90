from __future__ import annotations

from accelerator_portal.install.selector import STABLE
from tests.built_site import Site, attribute


def test_a_cell_says_whether_a_platform_can_install_a_release(site: Site) -> None:
    newest = site.catalog.releases.newest.version
    served = {(row.build, row.platform) for row in site.selector.rows}
    platforms = [value.id for value in site.selector.axes["platform"]]
    lines = site.pages["versions/"].tree.css(".release-matrix tbody tr")
    assert len(lines) == len(site.catalog.releases.releases)
    for line, release in zip(lines, site.catalog.releases.releases, strict=True):
        build = STABLE if release.version == newest else release.version
        assert line.css("th")[0].text() == release.version
        cells = line.css("td")[2:]
        for cell, platform in zip(cells, platforms, strict=True):
            links = [attribute(link, "href") for link in cell.css("a")]
            wanted = f"../compute-platforms/{platform}/?build={build}#install"
            assert links == ([wanted] if (build, platform) in served else []), release.version


def test_a_build_from_source_alone_says_so(site: Site) -> None:
    for row in site.pages["versions/"].tree.css(".release-matrix tbody td a"):
        href = attribute(row, "href")
        platform = href.split("/")[2]
        build = href.partition("build=")[2].partition("#")[0]
        methods = {
            r.method for r in site.selector.rows if r.platform == platform and r.build == build
        }
        assert (row.text() == "from source") == (methods == {"source"})


def test_a_releases_page_has_all_its_commands(site: Site) -> None:
    newest = site.catalog.releases.newest.version
    for release in site.catalog.releases.releases:
        build = STABLE if release.version == newest else release.version
        wanted = {row.commands for row in site.selector.rows if row.build == build}
        page = site.pages[f"versions/{release.version}/"]
        shown = {
            tuple(line.text() for line in cell.css("code"))
            for cell in page.tree.css(".commands-table td.commands")
        }
        assert shown == wanted
