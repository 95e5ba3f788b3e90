"""Each query of the page, run by DuckDB, gives what Python finds in the repository's archive."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import duckdb
import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.results.result_files import (
    DUCKDB_COLUMNS,
    archived_accelerators,
    list_path,
    listed_files,
    read_rows,
)
from accelerator_portal.results.result_table import read_history
from accelerator_portal.results.result_table import rollup as rollup_frame
from accelerator_portal.site.pages.archive import archive_files, data, pages
from accelerator_reports.outcomes import BAD, GOOD
from tests.folders import REPOSITORY
from tests.portal.results.archived import archive
from tests.portal.results.made_up import made_up
from tests.portal.site.unbuilt import rendered, unbuilt

CATALOG, _ = load_catalog(REPOSITORY)

Rows = list[tuple[Any, ...]]

CODE = ("torch", "torch_commit", "plugin_version", "plugin_commit", "commit")


@cache
def everything() -> list[dict[str, Any]]:
    """Every result of a run, with what the names of the folders say."""
    found: list[dict[str, Any]] = []
    for accelerator in archived_accelerators(REPOSITORY):
        for file in listed_files(REPOSITORY, accelerator):
            if file.partition.kind == "runs":
                folder = {"accelerator": accelerator, "suite": file.partition.suite}
                found += (row | folder for row in read_rows(REPOSITORY, file).to_pylist())
    return [row for row in found if row["outcome"] is not None]


def rollup(name: str) -> Rows:
    frame = rollup_frame(REPOSITORY, name, archived_accelerators(REPOSITORY))
    return list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))


def newest() -> Rows:
    rows = everything()
    last: dict[tuple[str, str], Any] = {}
    for row in rows:
        place = (row["accelerator"], row["suite"])
        last[place] = max(last.get(place, row["started"]), row["started"])
    found = Counter(
        (*place, row["started"], row["outcome"])
        for row in rows
        if row["started"] == last[place := (row["accelerator"], row["suite"])]
    )
    return sorted(((*key, n) for key, n in found.items()), key=lambda row: (row[0], row[1], row[3]))


def regressions() -> Rows:
    found = [
        (change.started, accelerator, change.key, change.outcome_before, change.outcome)
        for accelerator in archived_accelerators(REPOSITORY)
        for change in read_history(REPOSITORY, accelerator, "runs").changes
        if change.kind == "regressed"
    ]
    found.sort(key=lambda row: row[1:3])
    return sorted(found, key=lambda row: row[0], reverse=True)[:100]


def pass_rates() -> Rows:
    return [(*row[:3], *row[5:]) for row in rollup("pass-rates")]


def flaky() -> Rows:
    found: dict[tuple[Any, ...], list[str]] = {}
    for row in everything():
        if row["torch"] is not None:
            place = (row["accelerator"], row["suite"], f"{row['started']:%Y-%m}", row["key"])
            found.setdefault((*place, *(row[name] for name in CODE)), []).append(row["outcome"])
    counted = [
        (*key[:5], sum(o in GOOD for o in said), sum(o in BAD for o in said))
        for key, said in found.items()
    ]
    return sorted(row for row in counted if row[5] and row[6])


def slowest() -> Rows:
    runs: dict[tuple[str, str], list[float]] = {}
    for row in everything():
        if row["seconds"] is not None:
            runs.setdefault((row["accelerator"], row["key"]), []).append(row["seconds"])
    found = [(*key, len(seconds), max(seconds)) for key, seconds in runs.items()]
    return sorted(found, key=lambda row: (-row[3], *row[:2]))[:10]


def one_test() -> Rows:
    found = [
        tuple(row[name] for name in ("started", "accelerator", "torch", "outcome", "seconds"))
        for row in everything()
        if row["key"] == "operators/add?dtype=float32&mode=forward"
    ]
    assert found, "the page's example is a test that was run"
    return sorted(found, key=lambda row: row[:2])


def failing_first() -> Rows:
    verdicts: dict[tuple[str, str], list[tuple[Any, bool]]] = {}
    for row in everything():
        if row["outcome"] in GOOD | BAD:
            key = (row["accelerator"], row["key"])
            verdicts.setdefault(key, []).append((row["started"], row["outcome"] in BAD))
    found = []
    for key, said in verdicts.items():
        good = max((started for started, bad in said if not bad), default=None)
        since = [started for started, bad in said if bad and (good is None or started > good)]
        if since:
            found.append((*key, min(since), len(since)))
    return sorted(found, key=lambda row: (row[2], *row[:2]))


def versions() -> Rows:
    reports: dict[tuple[Any, ...], list[str]] = {}
    for row in everything():
        key = (row["accelerator"], row["torch"], row["hardware"])
        reports.setdefault(key, []).append(row["report"])
    found = [(*key, len(set(names)), len(names)) for key, names in reports.items()]
    return sorted(found, key=lambda row: [(text is None, text or "") for text in row[:3]])


def fetched(connection: duckdb.DuckDBPyConnection, query: str) -> Rows:
    """The rows of an answer; by way of Arrow, as DuckDB itself asks pytz for moments."""
    table = connection.sql(query).to_arrow_table()
    return [tuple(row.values()) for row in table.to_pylist()]


ANSWERS: dict[str, Callable[[], Rows]] = {
    "newest": newest,
    "regressions": regressions,
    "pass-rates": pass_rates,
    "flaky": flaky,
    "slowest": slowest,
    "one-test": one_test,
    "failing-first": failing_first,
    "versions": versions,
}


@pytest.fixture(scope="module")
def queries() -> dict[str, str]:
    """The SQL of the page by heading, and the two setups: in a clone, and from the site's files."""
    assert CATALOG
    site = unbuilt(CATALOG)
    (page,) = rendered(site, pages(site)).values()
    clone, web, tables, *_ = re.findall(r"(?ms)^```sql\n(.*?)\n```$", page.content)
    headed = r"(?ms)^## [^\n]+ \{: #(\S+) \}\n\n```sql\n(.*?)\n```$"
    return {"clone": clone + tables, "web": web + tables, **dict(re.findall(headed, page.content))}


def test_each_question_of_the_page_is_tested(queries: dict[str, str]) -> None:
    assert {*queries} == {"clone", "web", *ANSWERS}


@pytest.mark.parametrize("question", ANSWERS)
def test_duckdb_answers_as_python_does(
    question: str, queries: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(queries["clone"])
        found = fetched(connection, queries[question])
    expected = ANSWERS[question]()
    assert found == expected
    assert expected or question in {"regressions", "flaky"}


def test_the_published_files_are_the_tables(
    queries: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder stands for the address of the site: reading over HTTP needs an extension."""
    published = archive_files(REPOSITORY)
    monkeypatch.chdir(REPOSITORY)
    local = 'CREATE TABLE files AS SELECT * FROM (VALUES {rows}) t("table", address)'
    rows = ", ".join(
        f"('{'/'.join(path.split('/')[1:3])}', '{source}')" for path, source in published.items()
    )
    head, _, tail = queries["web"].partition("CREATE TABLE files")
    setup = (
        head.replace("https://example.org/", "")
        + local.format(rows=rows)
        + ";"
        + tail.partition(";")[2]
    )
    with duckdb.connect() as web, duckdb.connect() as copy:
        web.execute(setup)
        copy.execute(queries["clone"])
        for table in ("results", "changes"):
            query = f"SELECT count(*), count(DISTINCT key), max(started) FROM {table}"  # noqa: S608
            assert fetched(web, query) == fetched(copy, query)


def test_the_page_lists_the_columns_of_both_tables(
    queries: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert CATALOG
    site = unbuilt(CATALOG)
    (page,) = rendered(site, pages(site)).values()
    results, changes = (
        re.findall(r"(?m)^\| `(\w+)`", part)
        for part in page.content.partition("### Results")[2].split("### Changes")
    )
    assert results == [name for name, _ in DUCKDB_COLUMNS]
    with duckdb.connect() as connection:
        connection.execute(queries["clone"])
        found = {name for name, *_ in fetched(connection, "DESCRIBE changes")}
    assert {*results, *changes, "accelerator", "suite", "month"} <= found


def test_a_damaged_archive_is_left_out_and_stops_no_other(tmp_path: Path) -> None:
    archive(tmp_path, made_up(0, {"a": "passed"}))
    archive(tmp_path, made_up(0, {"a": "passed"}, accelerator="other"))
    assert len(archive_files(tmp_path)) == 2
    list_path(tmp_path, "other").write_text("{", "utf-8")
    (found,) = archive_files(tmp_path)
    assert "accelerator=example" in found


def test_a_file_that_is_missing_is_not_listed(tmp_path: Path) -> None:
    """A query reads all listed files, so it would fail for a file that the site does not have."""
    archive(tmp_path, made_up(0, {"a": "passed"}), made_up(1, {"a": "passed"}))
    min(archive_files(tmp_path).values()).unlink()
    (only,) = archive_files(tmp_path)
    assert CATALOG
    (table,) = data(unbuilt(CATALOG, root=tmp_path))
    assert [row["address"] for row in csv.DictReader(io.StringIO(table.content))] == [
        quote(only, "/=")
    ]


def test_the_list_has_every_file() -> None:
    assert CATALOG
    (table,) = data(unbuilt(CATALOG))
    listed = list(csv.DictReader(io.StringIO(table.content)))
    published = archive_files(REPOSITORY)
    assert {unquote(row["address"]) for row in listed} == {*published}
    for row in listed:
        content = published[unquote(row["address"])].read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (
            int(row["bytes"]),
            row["sha256"],
        )
