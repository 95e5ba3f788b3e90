"""No text presents a date that has passed as future."""

from __future__ import annotations

import datetime as dt
import re

from accelerator_portal.catalog import Catalog
from accelerator_portal.site.pages.versions import versions_table
from accelerator_portal.site.vendor_text import SourceList
from tests.built_site import Site
from tests.day import TODAY

FUTURE = re.compile(
    r"(?:\b(?:until|(?<!was )expected to|expects|plans|will)\b|(?<!截)至|(?<!原)预计)"
    r'[^.;<>"。]{0,60}?(\d{4}-\d{2}-\d{2})'
)


def presented_as_future(text: str, day: dt.date) -> list[str]:
    return [found[0] for found in FUTURE.finditer(text) if dt.date.fromisoformat(found[1]) < day]


def test_rows_of_all_platforms_speak_of_past_dates_in_the_past(catalog: Catalog) -> None:
    rows = [row for platform in catalog.platforms for row in platform.compatibility.rows]
    ends = {row.lifecycle.until for row in rows if row.lifecycle and row.lifecycle.until}
    for platform in catalog.platforms:
        sources = SourceList(platform.sourced_files())
        for day in {TODAY, *(end + dt.timedelta(days=n) for end in ends for n in (0, 1))}:
            for row in versions_table(platform, sources, day).rows:
                text = "; ".join(str(cell) for cell in (*row.cells, row.note) if cell)
                assert presented_as_future(text, day) == [], platform.id


def test_pages_and_their_data_do_too(site: Site) -> None:
    patterns = ("**/*.html", "**/api/**/*.json")
    files = [file for pattern in patterns for file in site.root.glob(pattern)]
    assert len(files) > len(site.catalog.platforms)
    found = {
        file: dates
        for file in files
        if (dates := presented_as_future(file.read_text("utf-8"), TODAY))
    }
    assert found == {}
