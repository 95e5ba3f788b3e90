"""Builds the page "Query the data", which shows how to query the archive of test results with SQL.

The module also lists the files of the archive that the site publishes: Parquet files in
`data/history/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from accelerator_portal.results.partitions.columns import COLUMNS
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    ListedFile,
    archived_accelerators,
    read_manifest,
)
from accelerator_portal.results.partitions.parquet_files import file_damage
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

    Only files that an accelerator's `manifest.json` lists and that have the listed SHA-256 are
    published. An accelerator whose manifest cannot be read is omitted.
    """
    return {
        f"{ARCHIVE_FOLDER}/{file.path}": root / HISTORY / file.path
        for file in _published_files(root)
    }


def archive_pages(root: Path, templates: Templates) -> Iterator[SiteFile]:
    """Yield the page "Query the data", and `archive/files.csv`, the list of the published files.

    DuckDB reads this list to find the Parquet files on the site.
    """
    files = list(_published_files(root))
    good, bad = (", ".join(f"'{name}'" for name in sorted(names)) for names in (GOOD, BAD))
    yield templates.page(PAGE, files=files, columns=COLUMNS, good=good, bad=bad)
    yield SiteFile(f"{ARCHIVE_FOLDER}/files.csv", _file_list_csv(files))


def _published_files(root: Path) -> Iterator[ListedFile]:
    """Yield the undamaged files that manifests list. `checks.stored_data` reports the others."""
    for accelerator in archived_accelerators(root):
        with suppress(ProblemsError):
            for file in read_manifest(root, accelerator).files:
                if file_damage(root / HISTORY / file.path, file) is None:
                    yield file


def _file_list_csv(files: Iterable[ListedFile]) -> str:
    """Return the list of files as CSV. No value needs quotes: addresses are percent-encoded."""
    rows = "".join(
        f"{file.partition.basis}/{file.partition.table},"
        f"{ARCHIVE_FOLDER}/{quote(file.path, safe='/=')},{file.rows},{file.bytes},{file.sha256}\n"
        for file in files
    )
    return f"table,address,rows,bytes,sha256\n{rows}"
