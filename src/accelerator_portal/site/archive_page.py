"""Builds the page "Ask the data", which shows how to query the archive of test results with SQL.

The module also lists the files of the archive that the site publishes: Parquet files in
`data/history/`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.outcomes import BAD, GOOD
from accelerator_portal.results.partitions.columns import COLUMNS
from accelerator_portal.results.partitions.manifest import (
    HISTORY,
    ListedFile,
    archived_accelerators,
    read_manifest,
)
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.templates import Templates

PAGE = f"{RESULTS_PAGES}/ask.md"
ARCHIVE_FOLDER = "archive"
"""The folder of the site that has copies of the archive's files."""


class ArchiveSize(NamedTuple):
    """The numbers of Parquet files, rows and bytes in an accelerator's archive."""

    accelerator: str
    files: int
    rows: int
    bytes: int


class ArchiveQuestion(NamedTuple):
    """An example question about the archive, with the SQL query that answers the question."""

    id: str
    title: str
    sql: str


LOCAL_SETUP = """\
CREATE VIEW results AS
SELECT * FROM read_parquet('data/history/runs/results/**/*.parquet', hive_partitioning = true);
CREATE VIEW changes AS
SELECT * FROM read_parquet('data/history/runs/changes/**/*.parquet', hive_partitioning = true);"""
"""SQL that creates the views `results` and `changes` from the files in a copy of the repository."""

WEB_SETUP = """\
SET VARIABLE site = '{site}';
CREATE TABLE files AS SELECT * FROM read_csv(getvariable('site') || 'archive/files.csv');
SET VARIABLE results = (
  SELECT list(getvariable('site') || address) FROM files WHERE "table" = 'runs/results');
SET VARIABLE changes = (
  SELECT list(getvariable('site') || address) FROM files WHERE "table" = 'runs/changes');
CREATE VIEW results AS
SELECT * FROM read_parquet(getvariable('results'), hive_partitioning = true);
CREATE VIEW changes AS
SELECT * FROM read_parquet(getvariable('changes'), hive_partitioning = true);"""
"""SQL that creates the views `results` and `changes` from published files. `{site}` is the site's
address with a final slash."""

_GOOD, _BAD = (", ".join(f"'{outcome}'" for outcome in sorted(found)) for found in (GOOD, BAD))

ARCHIVE_QUESTIONS: tuple[ArchiveQuestion, ...] = (
    ArchiveQuestion(
        "newest",
        "What are the outcomes of each suite in its newest report?",
        """\
SELECT accelerator, suite, max(started) AS started, outcome, count(*) AS results
FROM results
WHERE (accelerator, suite, started) IN (
  SELECT (accelerator, suite, max(started)) FROM results GROUP BY accelerator, suite)
GROUP BY accelerator, suite, outcome
ORDER BY accelerator, suite, outcome;""",
    ),
    ArchiveQuestion(
        "regressions",
        "Which tests regressed most recently?",
        """\
SELECT started, accelerator, key, outcome_before, outcome
FROM changes
WHERE change = 'regressed'
ORDER BY started DESC, accelerator, key
LIMIT 100;""",
    ),
    ArchiveQuestion(
        "pass-rates",
        "What is the pass rate of each suite and month?",
        f"""\
SELECT accelerator, suite, month,
  count(*) FILTER (outcome IN ({_GOOD})) AS passed,
  count(*) FILTER (outcome IN ({_BAD})) AS failed,
  passed / nullif(passed + failed, 0) AS pass_rate
FROM results
GROUP BY accelerator, suite, month
ORDER BY accelerator, suite, month;""",  # noqa: S608 - the project's own words
    ),
    ArchiveQuestion(
        "flaky",
        "Which tests both passed and failed on the same code?",
        f"""\
SELECT accelerator, suite, month, key, torch,
  count(*) FILTER (outcome IN ({_GOOD})) AS passed,
  count(*) FILTER (outcome IN ({_BAD})) AS failed
FROM results
WHERE torch IS NOT NULL
GROUP BY accelerator, suite, month, key,
  torch, torch_commit, plugin_version, plugin_commit, "commit"
HAVING passed > 0 AND failed > 0
ORDER BY accelerator, suite, month, key, torch;""",  # noqa: S608 - the project's own words
    ),
    ArchiveQuestion(
        "slowest",
        "Which tests take longest?",
        """\
SELECT accelerator, key, count(*) AS runs, max(seconds) AS longest_seconds
FROM results
WHERE seconds IS NOT NULL
GROUP BY accelerator, key
ORDER BY longest_seconds DESC, accelerator, key
LIMIT 10;""",
    ),
    ArchiveQuestion(
        "one-test",
        "What is the history of one test?",
        """\
SELECT started, accelerator, torch, outcome, seconds
FROM results
WHERE key = 'operators/add?dtype=float32&mode=forward'
ORDER BY started, accelerator;""",
    ),
    ArchiveQuestion(
        "failing-first",
        "Since when has each failing test failed?",
        f"""\
WITH verdicts AS (
  SELECT accelerator, key, started, outcome IN ({_BAD}) AS bad
  FROM results WHERE outcome IN ({_GOOD}, {_BAD})),
last_good AS (
  SELECT accelerator, key, max(started) FILTER (NOT bad) AS good
  FROM verdicts GROUP BY accelerator, key)
SELECT accelerator, key, min(started) AS first_bad, count(*) AS failures
FROM verdicts JOIN last_good USING (accelerator, key)
WHERE bad AND (good IS NULL OR started > good)
GROUP BY accelerator, key
ORDER BY first_bad, accelerator, key;""",  # noqa: S608 - the project's own words
    ),
    ArchiveQuestion(
        "versions",
        "Which PyTorch versions were tested on which platform?",
        """\
SELECT accelerator, torch, hardware, count(DISTINCT report) AS reports, count(*) AS results
FROM results
GROUP BY accelerator, torch, hardware
ORDER BY accelerator, torch, hardware;""",
    ),
)
"""The questions in the order of the page. A unit test checks the answers of the queries."""


def archive_files(root: Path) -> dict[str, Path]:
    """Return the archive's Parquet files that the site publishes, by path on the site.

    Only files that exist and that an accelerator's `manifest.json` lists are published. An
    accelerator whose manifest cannot be read is omitted.
    """
    return {
        f"{ARCHIVE_FOLDER}/{file.path}": root / HISTORY / file.path
        for file in _published_files(root)
    }


def archive_pages(root: Path, templates: Templates) -> Iterator[SiteFile]:
    """Yield the page "Ask the data", and `archive/files.csv`, the list of the published files.

    DuckDB reads this list to find the Parquet files on the site.
    """
    files = list(_published_files(root))
    by_accelerator = groupby(files, key=lambda file: file.partition.accelerator)
    yield templates.page(
        PAGE,
        questions=ARCHIVE_QUESTIONS,
        local_setup=LOCAL_SETUP,
        web_setup=WEB_SETUP,
        columns=COLUMNS,
        sizes=[
            _archive_size(accelerator, [*accelerator_files])
            for accelerator, accelerator_files in by_accelerator
        ],
    )
    yield SiteFile(f"{ARCHIVE_FOLDER}/files.csv", _file_list_csv(files))


def _published_files(root: Path) -> Iterator[ListedFile]:
    """Yield the files that manifests list and that exist. `history check` reports the others."""
    for accelerator in archived_accelerators(root):
        with suppress(ProblemsError):
            for file in read_manifest(root, accelerator).files:
                if (root / HISTORY / file.path).is_file():
                    yield file


def _archive_size(accelerator: str, files: list[ListedFile]) -> ArchiveSize:
    rows, size = (sum(getattr(file, name) for file in files) for name in ("rows", "bytes"))
    return ArchiveSize(accelerator, len(files), rows, size)


def _file_list_csv(files: list[ListedFile]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "address", "rows", "bytes", "sha256"])
    for file in files:
        file_partition = file.partition
        address = f"{ARCHIVE_FOLDER}/{quote(file.path, safe='/=')}"
        writer.writerow(
            [
                f"{file_partition.basis}/{file_partition.table}",
                address,
                file.rows,
                file.bytes,
                file.sha256,
            ]
        )
    return text.getvalue()
