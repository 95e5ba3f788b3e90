from __future__ import annotations

from accelerator_reports.formats.format_list import FORMATS
from tests.built_site import Site


def test_the_page_names_every_format_that_is_read_or_written(site: Site) -> None:
    words = " ".join(site.pages["contribute/report/"].one("article").text().split())
    reads, _, writes = words.partition("import reads ")[2].partition("export writes ")
    for form in FORMATS.values():
        assert form.read is None or form.title in reads
        assert form.write is None or form.title in writes
