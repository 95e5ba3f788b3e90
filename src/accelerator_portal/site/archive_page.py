"""The page "Ask the data", and the files of the archive that the site publishes for it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.results.partitions.columns import COLUMNS
from accelerator_portal.results.partitions.layout import HISTORY, archived_accelerators
from accelerator_portal.results.partitions.manifest import ListedFile, read_manifest
from accelerator_portal.site.archive_questions import ARCHIVE_QUESTIONS, LOCAL_SETUP, WEB_SETUP
from accelerator_portal.site.page import SiteFile, to_root
from accelerator_portal.site.result_addresses import RESULTS_PAGES
from accelerator_portal.site.templates import Templates

PAGE = f"{RESULTS_PAGES}/ask.md"
PUBLISHED = "archive"
"""The folder of the site that has the archive's files as the repository has them."""


class ArchiveSize(NamedTuple):
    """How much of an accelerator is archived."""

    accelerator: str
    files: int
    rows: int
    bytes: int


def archive_files(root: Path) -> dict[str, Path]:
    """Return every listed file by its path on the site.

    What no manifest lists is not published, and nothing of an archive that cannot be read.
    """
    history = root / HISTORY
    return {
        f"{PUBLISHED}/{file.path}": history / file.path
        for file in _listed(root)
        if (history / file.path).is_file()
    }


def archive_pages(root: Path, templates: Templates) -> Iterator[SiteFile]:
    """Yield the page, and the list of files, which DuckDB reads."""
    files = list(_listed(root))
    content = templates.render(
        f"{PAGE}.j2",
        to_root=to_root(PAGE),
        questions=ARCHIVE_QUESTIONS,
        local_setup=LOCAL_SETUP,
        web_setup=WEB_SETUP,
        columns=COLUMNS,
        sizes=_sizes(files),
    )
    yield SiteFile(PAGE, content, f"site_src/templates/{PAGE}.j2")
    yield SiteFile(f"{PUBLISHED}/files.csv", _table(files))


def _listed(root: Path) -> Iterator[ListedFile]:
    for accelerator in archived_accelerators(root):
        try:
            yield from read_manifest(root, accelerator).files
        except ProblemsError:  # `history check` says what; it stops no other platform
            continue


def _sizes(files: list[ListedFile]) -> list[ArchiveSize]:
    by_accelerator: dict[str, list[ListedFile]] = {}
    for file in files:
        by_accelerator.setdefault(file.partition.accelerator, []).append(file)
    return [
        ArchiveSize(name, len(some), sum(f.rows for f in some), sum(f.bytes for f in some))
        for name, some in sorted(by_accelerator.items())
    ]


def _table(files: list[ListedFile]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "address", "rows", "bytes", "sha256"])
    for file in files:
        place = file.partition
        address = f"{PUBLISHED}/{quote(file.path, safe='/=')}"
        writer.writerow(
            [f"{place.basis}/{place.table}", address, file.rows, file.bytes, file.sha256]
        )
    return text.getvalue()
