from __future__ import annotations

import re

from accelerator_portal.install.commands import VENDOR_METHODS
from tests.built_site import Site, attribute, grid_cells, marks


def test_a_cell_says_whether_a_platform_can_install_a_release(site: Site) -> None:
    served = {(row.build, row.platform) for row in site.selector.rows}
    cells = grid_cells(site.pages["versions/"])
    releases = [release.version for release in site.catalog.releases.releases]
    shown = {
        (column, row): attribute(cell.css("a")[0], "href")
        for (row, column), cell in cells.items()
        if column in releases and row != "python"
    }
    assert shown.keys() == {(build, platform) for build, platform in served if build in releases}
    for (release, platform), address in shown.items():
        assert address == f"../compute-platforms/{platform}/?build={release}#install"


def test_a_cell_names_the_plugin_and_its_runtime(site: Site) -> None:
    (link,) = grid_cells(site.pages["versions/"])["ascend", "2.7.1"].css("a")
    words = attribute(link, "aria-label")
    assert re.fullmatch(r"Ascend NPU, 2\.7\.1: 2\.7\.1\.post\d+ · CANN .+", words)
    assert re.fullmatch(r"✓2\.7\.1\.post\d+", link.text(strip=True))


def test_a_cell_names_the_plugin_that_the_commands_install(site: Site) -> None:
    """Not a newer one, where the commands install an older one or start an image of it."""
    cells = grid_cells(site.pages["versions/"])
    for platform, build in [("tsingmicro", "2.7.0"), ("tpu-xla", "2.8.0"), ("tpu-xla", "2.6.0")]:
        (link,) = cells[platform, build].css("a")
        version = attribute(link, "aria-label").partition(": ")[2].partition(" ")[0]
        rows = [row for row in site.selector.rows_of(platform) if row.build == build]
        assert any(version in command for row in rows for command in row.commands), platform


def test_the_checks_of_all_platforms_with_a_check_are_on_one_page(site: Site) -> None:
    shown = [
        attribute(link, "href").split("/")[2]
        for link in site.pages["get-started/"].tree.css("a[href$='/#start']")
    ]
    checked = {row.platform for row in site.selector.rows if row.check}
    assert shown == [platform.id for platform in site.catalog.platforms if platform.id in checked]


def test_a_build_from_source_alone_says_so(site: Site) -> None:
    releases = site.catalog.releases.by_version
    for (platform, build), cell in grid_cells(site.pages["versions/"]).items():
        if build in releases and platform != "python":
            rows = [row for row in site.selector.rows_of(platform) if row.build == build]
            from_source = {row.method for row in rows} == {"source"}
            assert ("part" in marks(cell)[0]) == from_source
            assert attribute(cell.css("a")[0], "aria-label").endswith("from source") == from_source


def test_a_releases_page_has_all_its_commands(site: Site) -> None:
    for release in site.catalog.releases.releases:
        wanted = {
            row.commands
            for row in site.selector.rows
            if row.build == release.version and row.method in VENDOR_METHODS
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


def test_a_releases_page_lists_the_packages_next_to_torch(site: Site) -> None:
    page = site.pages["versions/2.9.0/"]
    rows = page.tree.css("#companions ~ table tr")
    found = {row.css("th")[0].text(): row.css("td") for row in rows if row.css("td")}
    versions = {package: cells[0].text() for package, cells in found.items()}
    assert versions == {
        "torchvision": "0.24.0",
        "torchaudio": "2.9.0",
        "torchao": "0.14.1",
        "torchtext": "none",
        "triton": "3.5.0",
    }
    assert "pytorch/text#2272" in found["torchtext"][1].text()
