"""Builds the page "Query the data", which shows how to query the archive of test results with SQL.

The module also lists the files of the archive that the site publishes: Parquet files in
`data/history/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from accelerator_portal.results.result_files import (
    COLUMNS,
    HISTORY,
    ResultFile,
    archived_accelerators,
    file_damage,
    listed_files,
    row_counts,
)
from accelerator_portal.results.result_table import query
from accelerator_portal.site.results.results_view import RESULTS_PAGES
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.outcomes import BAD, GOOD

ARCHIVE_FOLDER = "archive"
"""The folder of the site that has copies of the archive's files."""


def archive_files(root: Path) -> dict[str, Path]:
    """Return the archive's Parquet files that the site publishes, by path on the site.

    Only files that an accelerator's list has with the right checksum are published. An accelerator
    whose list cannot be read is omitted.
    """
    return {
        f"{ARCHIVE_FOLDER}/{file.path}": root / HISTORY / file.path
        for file in _published_files(root)
    }


def pages(site: Site) -> Iterator[Page]:
    """Yield the page "Query the data"."""
    sizes: dict[str, tuple[int, int, int]] = {}
    for file, rows, size in _sized_files(site.root):
        total = sizes.get(file.partition.accelerator, (0, 0, 0))
        sizes[file.partition.accelerator] = (total[0] + 1, total[1] + rows, total[2] + size)
    good, bad = (", ".join(f"'{name}'" for name in sorted(names)) for names in (GOOD, BAD))
    context = {"sizes": sizes, "columns": COLUMNS, "good": good, "bad": bad, "query": query}
    yield Page(f"{RESULTS_PAGES}/ask.md", context)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield `archive/files.csv`, the list by which DuckDB finds the published files on the site."""
    yield SiteFile(f"{ARCHIVE_FOLDER}/files.csv", _file_list_csv(_sized_files(site.root)))


def _sized_files(root: Path) -> Iterator[tuple[ResultFile, int, int]]:
    """Yield the published files, each with its number of rows and its size in bytes."""
    for file, rows in _published_files(root).items():
        yield file, rows, (root / HISTORY / file.path).stat().st_size


def _published_files(root: Path) -> dict[ResultFile, int]:
    """Return the undamaged files that lists have, each with its number of rows.

    `checks.stored_data` reports the others.
    """
    files: list[ResultFile] = []
    for accelerator in archived_accelerators(root):
        with suppress(ProblemsError):
            files += [f for f in listed_files(root, accelerator) if file_damage(root, f) is None]
    return row_counts(root, files)


def _file_list_csv(files: Iterable[tuple[ResultFile, int, int]]) -> str:
    """Return the list of files as CSV. No value needs quotes: addresses are percent-encoded."""
    lines = "".join(
        f"{file.partition.kind}/results,{ARCHIVE_FOLDER}/{quote(file.path, safe='/=')},"
        f"{rows},{size},{file.sha256}\n"
        for file, rows, size in files
    )
    return f"table,address,rows,bytes,sha256\n{lines}"
