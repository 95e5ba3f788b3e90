"""Guides and FAQs name no versions older than `compatibility.yaml` requires.

For example, a guide says "CANN 8.0 or newer", but every entry in `compatibility.yaml` requires 9.1.
Readers would install a version that doesn't work. Components are matched by their name.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.install.bounds import lower_bound

LEVEL = "warning"

_NUMBER = r"v?(\d+(?:\.\w+)*)"
_BEFORE = rf"\s*(?:version\s+)?(?:>=|≥|at least|from)\s*{_NUMBER}"
_AFTER = (
    rf"\s*(?:version\s+)?{_NUMBER}\s*(?:\+|or (?:newer|later|higher|above)|and (?:newer|later))"
)


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield lower bounds in texts that are below what every row needs."""
    for platform in catalog.platforms:
        for name, oldest in _needed(platform).items():
            pattern = re.compile(
                rf"(?<![\w-]){re.escape(name)}(?:{_BEFORE}|{_AFTER})", re.IGNORECASE
            )
            for file in (platform.guide, platform.faq):
                yield from _too_old(file, name, oldest, pattern)


def _needed(platform: Platform) -> dict[str, Version]:
    """The oldest version that some row needs, by component."""
    found: dict[str, Version] = {}
    for row in platform.compatibility.rows:
        for name, text in row.needs.items():
            if bound := lower_bound(text):
                found[name] = min(bound, found.get(name, bound))
    return found


def _too_old(
    file: MarkdownFile, name: str, oldest: Version, pattern: re.Pattern[str]
) -> Iterator[Problem]:
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            for match in pattern.finditer(line):
                written = match[1] or match[2]
                try:
                    version = Version(written)
                except InvalidVersion:
                    continue
                if version < oldest:
                    what = f'{name} "{written}" is older than compatibility.yaml requires'
                    yield Problem(file.path, number, what, f"use {oldest} or newer")
