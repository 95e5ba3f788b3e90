"""The static tables of commands say what the selector says."""

from __future__ import annotations

import json
from itertools import product

import pytest
from selectolax.lexbor import LexborNode

from accelerator_portal.install.commands import VENDOR_METHODS
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.commands_table import default_build_rows
from accelerator_portal.site.text_formats import python_range
from tests.built_site import Page, Site
from tests.selector_choices import choices_of, row_of

GOLDEN = "golden/commands_acme.json"


def table(page: Page) -> list[dict[str, str]]:
    """The rows of the page's table of commands, by heading; the commands as they are pasted."""
    headings = [node.text() for node in page.tree.css("table.commands-table thead th")]
    return [
        dict(zip(headings, map(cell_text, row.css("td")), strict=True))
        for row in page.tree.css("table.commands-table tbody tr")
    ]


def cell_text(cell: LexborNode) -> str:
    lines = [code.text() for code in cell.css("code")]
    return "\n".join(lines) if "commands" in (cell.attributes.get("class") or "") else cell.text()


def stated(selector: Selector) -> list[InstallRow]:
    """The rows that vendors stated; the others follow from them."""
    return [row for row in selector.rows if row.method in VENDOR_METHODS]


def commands(page: Page) -> set[str]:
    return {row["Commands"] for row in table(page)}


def test_the_table_of_an_example_platform(
    example_site: Site, request: pytest.FixtureRequest
) -> None:
    golden = json.loads((request.path.parent / GOLDEN).read_text("utf-8"))
    assert table(example_site.pages["compute-platforms/acme/"]) == golden


def test_every_command_of_a_selector_is_on_its_page_or_on_that_of_its_release(site: Site) -> None:
    by_release = {
        f"versions/{version}/": commands(site.pages[f"versions/{version}/"])
        for version in (release.version for release in site.catalog.releases.releases)
    }
    for platform in site.catalog.platforms:
        own = site.selector.only(platform.id)
        known = {"\n".join(row.commands) for row in stated(own)}
        page = site.pages[f"compute-platforms/{platform.id}/"]
        assert bool(known) == bool(platform.install.options), platform.id
        shown = commands(page) if known else set()
        links = {a.attributes["href"] for a in page.tree.css(".static-commands p a")}
        linked = {f"{str(href).removeprefix('../../')}" for href in links}
        assert shown <= known, platform.id
        assert known <= shown.union(*(by_release[address] for address in linked)), platform.id


def test_get_started_has_every_command_of_the_current_builds(site: Site) -> None:
    builds = {site.catalog.releases.newest.version, "preview"}
    offered = set(default_build_rows(site.selector))
    current = [row for row in stated(site.selector) if row.build in builds or row in offered]
    assert commands(site.pages["get-started/"]) == {"\n".join(row.commands) for row in current}


@pytest.mark.parametrize("address", ["", "get-started/"])
def test_every_platform_and_system_of_the_selector_stands_in_the_table(
    site: Site, address: str
) -> None:
    """Without scripts the table is all there is."""
    selector = site.selector
    known = {
        (selector.label("platform", choice), selector.label("os", choice), choice["arch"])
        for row in selector.rows
        for choice in [selector.first_choice(row)]
    }
    assert ("CUDA", "Windows", "x86_64") in known
    archs = {value.label: value.id for value in selector.axes["arch"]}
    shown = {
        (row["Platform"], system.split(" ")[0], archs[arch])
        for row in table(site.pages[address])
        for system in row["System"].split("; ")
        for arch in system.split(" ", 1)[1].split(", ")
    }
    assert shown == known


def test_a_table_row_promises_only_what_exists(site: Site) -> None:
    """Rows stand for several systems and Python versions; each combination must be real."""
    for platform in site.catalog.platforms:
        selector = site.selector.only(platform.id)
        known = {promise for row in selector.rows for promise in promises(selector, row)}
        for row in table(site.pages[f"compute-platforms/{platform.id}/"]):
            systems = [
                f"{system.split(' ')[0]} {arch}"
                for system in row["System"].split("; ")
                for arch in system.split(" ", 1)[1].split(", ")
            ]
            for system, python in product(systems, pythons(row["Python"])):
                promise = (row["Commands"], system, python)
                assert promise in known, f"{platform.id}: {promise}"


def promises(selector: Selector, row: InstallRow) -> list[tuple[str, str, str]]:
    choices = list(choices_of(selector, row))
    system = f"{selector.label('os', choices[0])} {selector.label('arch', choices[0])}"
    found = row_of(selector, choices[0])
    assert found is not None
    versions = found.pythons or ("any",)
    return [("\n".join(found.commands), system, python) for python in versions]


def pythons(text: str) -> list[str]:
    """The Python versions that the table's short form names."""
    if text == "any":
        return ["any"]
    found = []
    for part in text.split(", "):
        first, _, last = part.partition("–")
        minors = range(int(first[2:]), int((last or first)[2:]) + 1) if "t" not in part else ()
        found += [f"3.{minor}" for minor in minors] or [part]
    assert python_range(found) == text
    return found
