"""Every answer in `faq.md` cites a source: the discussion or documentation it is based on.

Without a source, readers can't check whether the answer is still correct.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.markdown_file import CITATION

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield answers without a citation."""
    for faq in catalog.faqs:
        for section in faq.sections:
            if not CITATION.search(section.text):
                what = f'the answer to "{section.title[:60]}" cites no source'
                remedy = "add the source under sources, and cite it as [@its-id]"
                yield Problem(faq.path, section.line, what, remedy)
