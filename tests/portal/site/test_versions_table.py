"""The table of versions on a platform's page."""

from __future__ import annotations

from collections.abc import Mapping

from accelerator_portal.site.pages.versions import VersionsTable, versions_table
from accelerator_portal.site.vendor_text import SourceList
from tests.day import TODAY
from tests.folders import COMPATIBILITY, EXAMPLE, Tree, edited, loaded

ROW = '{torch: "1.9.1", variant: ex1, lifecycle'


def table(tree: Tree, files: Mapping[str, str]) -> VersionsTable:
    (platform,) = loaded(tree(files)).platforms
    return versions_table(platform, SourceList(platform.sourced_files()), TODAY)


def test_a_column_that_no_row_needs_is_left_out(tree: Tree) -> None:
    assert "System" not in table(tree, EXAMPLE).columns


def test_a_row_for_some_systems_names_them_and_the_others_are_for_all(tree: Tree) -> None:
    limited = edited((COMPATIBILITY, ROW, ROW.replace("ex1,", "ex1, os: [linux, windows],")))
    found = table(tree, limited)
    place = found.columns.index("System")
    assert {row.cells[place] for row in found.rows} == {"Linux, Windows", "all"}
