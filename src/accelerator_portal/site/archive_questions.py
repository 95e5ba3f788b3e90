"""Questions that the archive answers, each as SQL for DuckDB over the tables that `SETUP` names."""

from __future__ import annotations

from typing import NamedTuple

from accelerator_portal.reports.outcomes import BAD, GOOD

LOCAL_SETUP = """\
CREATE VIEW results AS
SELECT * FROM read_parquet('data/history/runs/results/**/*.parquet', hive_partitioning = true);
CREATE VIEW changes AS
SELECT * FROM read_parquet('data/history/runs/changes/**/*.parquet', hive_partitioning = true);"""
"""Makes the two tables from a copy of the repository."""

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
"""Makes them from the published files; `{site}` is the address of the site."""


class ArchiveQuestion(NamedTuple):
    """A question, its id in addresses, and the SQL that answers it."""

    id: str
    title: str
    sql: str


def _listed(outcomes: frozenset[str]) -> str:
    return ", ".join(f"'{outcome}'" for outcome in sorted(outcomes))


_GOOD, _BAD = _listed(frozenset(GOOD)), _listed(frozenset(BAD))

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
"""What the page shows, in its order. A test compares each answer with what Python finds."""
