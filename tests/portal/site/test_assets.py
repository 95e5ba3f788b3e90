"""The site has one style sheet with the text of every file in order, and scripts without comments."""

from __future__ import annotations

import re
from pathlib import Path

from accelerator_portal.site.build import (
    SCRIPTS_FOLDER,
    STYLES_FOLDER,
    published_scripts,
    style_sheet,
)
from tests.folders import REPOSITORY


def test_every_style_file_stands_in_the_sheet_once_and_in_order() -> None:
    folder = REPOSITORY / STYLES_FOLDER
    named = re.findall(r'@import "([^"]+)"', (folder / "portal.css").read_text("utf-8"))
    assert sorted(named) == sorted(f.name for f in folder.iterdir() if f.name != "portal.css")
    sheet = style_sheet(REPOSITORY)
    places = [sheet.content.index((folder / name).read_text("utf-8")) for name in named]
    assert places == sorted(places)
    assert "@import" not in sheet.content


def test_scripts_are_published_without_their_comments(tmp_path: Path) -> None:
    folder = tmp_path / SCRIPTS_FOLDER
    folder.mkdir(parents=True)
    source = """\
// What the script does.

/**
 * Add.
 */
export function sum(a, b) {
  // Both.
  /* Once. */
  return `${a + b}//`; // inline
}
"""
    (folder / "sum.js").write_text(source, "utf-8")
    (file,) = published_scripts(tmp_path)
    code = "\nexport function sum(a, b) {\n  return `${a + b}//`; // inline\n}\n"
    assert (file.path, file.content) == ("assets/scripts/sum.js", code)
