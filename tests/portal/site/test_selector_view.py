"""The form and the table of commands show whatever axes the selector has."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Selector
from accelerator_portal.install.rows import AXES
from accelerator_portal.site import RepositoryLinks
from accelerator_portal.site.commands_table import commands_table
from accelerator_portal.site.grid import Grid
from accelerator_portal.site.selector_view import other_machines, selector_view
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from tests.folders import REPOSITORY
from tests.further_axis import LIBC, further_selector


@pytest.fixture(scope="module")
def further(catalog: Catalog) -> Selector:
    return further_selector(catalog)


@pytest.fixture(scope="module")
def form(catalog: Catalog, further: Selector) -> LexborHTMLParser:
    """The form of the home page, with one more axis."""
    repository = RepositoryLinks("https://example.org/", "https://example.org/edit/")
    templates = Templates(REPOSITORY / TEMPLATES_FOLDER, catalog=catalog, repository=repository)
    view = selector_view(further)
    context = {
        "view": view,
        "removal_note": ("", ""),
        "selector": further,
        "commands": [],
        "grid_of_platforms": Grid("platforms", "Platform", (), (), {}),
        "to_root": "",
    }
    return LexborHTMLParser(templates.render("index.md.j2", **context))


def test_each_axis_has_a_fieldset_in_the_order_of_the_page(form: LexborHTMLParser) -> None:
    shown = [legend.text() for legend in form.css("form fieldset legend")]
    order = {"main": 0, "settings": 1, "format": 2}
    axes = sorted((*AXES, LIBC), key=lambda axis: (order[axis.group], axis.rank))
    assert shown == [axis.legend for axis in axes]


def test_the_fieldset_of_a_further_axis_has_its_values(form: LexborHTMLParser) -> None:
    radios = form.css("fieldset[data-axis=libc] input[name=libc]")
    assert [(r.attributes["value"], "checked" in r.attributes) for r in radios] == [
        ("glibc", True),
        ("musl", False),
    ]


def test_the_table_names_a_further_axis_with_the_system(further: Selector) -> None:
    rows = [row for row in further.rows if row.platform == "cuda" and row.method == "pip"]
    found = {
        system
        for row in commands_table(further, rows)
        for part in row.systems.split("; ")
        for system in systems(part)
    }
    assert {"Linux x86-64 GNU", "Linux x86-64 musl", "Windows x86-64 GNU"} <= found
    assert "Windows x86-64 musl" not in found


def systems(part: str) -> set[str]:
    """Each system of `Linux x86-64, ARM64`."""
    os, _, rest = part.partition(" ")
    return {f"{os} {one}" for one in rest.split(", ")}


@pytest.mark.parametrize(
    ("machine", "reason"), [("linux x86_64", "macOS only"), ("macos x86_64", "ARM64 only")]
)
def test_a_platform_that_is_not_there_says_where_it_is(
    selector: Selector, machine: str, reason: str
) -> None:
    os, arch = machine.split()
    choice = {"os": os, "arch": arch}
    assert other_machines(selector, {"macos aarch64": "2.15.0"}, choice) == reason
