"""The site has one style sheet, which holds the text of every file in order."""

from __future__ import annotations

import re

from accelerator_portal.site.assets import STYLES_FOLDER, style_sheet
from tests.folders import REPOSITORY


def test_every_style_file_stands_in_the_sheet_once_and_in_order() -> None:
    folder = REPOSITORY / STYLES_FOLDER
    named = re.findall(r'@import "([^"]+)"', (folder / "portal.css").read_text("utf-8"))
    assert sorted(named) == sorted(f.name for f in folder.iterdir() if f.name != "portal.css")
    sheet = style_sheet(REPOSITORY)
    places = [sheet.content.index((folder / name).read_text("utf-8")) for name in named]
    assert places == sorted(places)
    assert "@import" not in sheet.content
