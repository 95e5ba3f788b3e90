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
    HISTORY,
    ResultFile,
    archived_accelerators,
    file_damage,
    listed_files,
    row_counts,
)
from accelerator_portal.results.result_rows import COLUMNS
from accelerator_portal.results.result_table import query
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.templates import Templates
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.outcomes import BAD, GOOD

PAGE = f"{RESULTS_PAGES}/ask.md"
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


def archive_pages(root: Path, templates: Templates) -> Iterator[SiteFile]:
    """Yield the page "Query the data", and `archive/files.csv`, the list of the published files.

    DuckDB reads this list to find the Parquet files on the site.
    """
    files = [
        (file, rows, (root / HISTORY / file.path).stat().st_size)
        for file, rows in _published_files(root).items()
    ]
    sizes: dict[str, tuple[int, int, int]] = {}
    for file, rows, size in files:
        total = sizes.get(file.partition.accelerator, (0, 0, 0))
        sizes[file.partition.accelerator] = (total[0] + 1, total[1] + rows, total[2] + size)
    good, bad = (", ".join(f"'{name}'" for name in sorted(names)) for names in (GOOD, BAD))
    yield templates.page(PAGE, sizes=sizes, columns=COLUMNS, good=good, bad=bad, query=query)
    yield SiteFile(f"{ARCHIVE_FOLDER}/files.csv", _file_list_csv(files))


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
