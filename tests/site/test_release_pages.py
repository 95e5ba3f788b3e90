from __future__ import annotations

from accelerator_portal.install.axes import STABLE
from accelerator_portal.install.formats import STATED
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
            there = (release.version, platform) in served
            assert links == ([wanted] if there else []), release.version


def test_a_build_from_source_alone_says_so(site: Site) -> None:
    for link in site.pages["versions/"].tree.css(".release-matrix tbody td a"):
        href = attribute(link, "href")
        platform = href.split("/")[2]
        build = href.partition("build=")[2].partition("#")[0]
        build = site.catalog.releases.newest.version if build == "stable" else build
        rows = site.selector.only(platform).rows_with("build", build)
        methods = {row.method for row in rows}
        assert (link.text() == "from source") == (methods == {"source"})


def test_a_releases_page_has_all_its_commands(site: Site) -> None:
    for release in site.catalog.releases.releases:
        wanted = {
            row.commands
            for row in site.selector.rows
            if row.build == release.version and row.method in STATED
        }
        page = site.pages[f"versions/{release.version}/"]
        shown = {
            tuple(line.text() for line in cell.css("code"))
            for cell in page.tree.css(".commands-table td.commands")
        }
        assert shown == wanted


def test_a_releases_page_has_its_wheels_with_what_they_need(site: Site) -> None:
    tree = site.pages["versions/2.15.0/"].tree
    (table,) = (t for t in tree.css("table") if "Download" in (t.css_first("thead") or t).text())
    lines = [[cell.text() for cell in line.css("th, td")] for line in table.css("tbody tr")]
    pythons = "3.11–3.15, 3.14t, 3.15t"
    assert lines[0] == ["cu132", "Linux x86-64", pythons, "glibc 2.28", "539 MB", "PyPI"]
    assert lines[-1] == ["cpu", "macOS ARM64", pythons, "macOS 14.0", "139 MB", "PyPI"]
    release = site.catalog.releases.by_version["2.15.0"]
    assert len(lines) == sum(len(wheel.arch) for wheel in release.wheels)
