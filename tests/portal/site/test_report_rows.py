"""The rows of a report: each test once, what calls for somebody first, and found by the index."""

from __future__ import annotations

import json
from collections import Counter

from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.pages.reports import report_row_files
from accelerator_portal.site.results.suite_tests import reported_tests
from accelerator_reports.outcomes import OUTCOMES
from tests.built_site import Site


def test_the_files_have_every_test_of_a_report_once(site: Site) -> None:
    stored = max(stored_reports(site.catalog)[0], key=lambda s: len(s.report.tests))
    files = {
        f.path: json.loads(f.content) for f in report_row_files(stored.id, reported_tests(stored))
    }
    folder = f"api/v1/report-rows/{stored.id}"
    index = files[f"{folder}/index.json"]
    rows = []
    for name, count in index["files"]:
        own = files[f"{folder}/{name}"]["rows"]
        assert len(own) == count
        rows += own
    told = Counter((row["suite"], row["name"], row["outcome"], row.get("reason")) for row in rows)
    tests = stored.report.tests
    assert told == Counter((test.suite, test.name, test.outcome, test.reason) for test in tests)
    ranks = [OUTCOMES[row["outcome"]].page_rank for row in rows]
    assert ranks == sorted(ranks)
    start = 0
    for outcome, suite, count in index["ranges"]:
        assert {(r["outcome"], r["suite"]) for r in rows[start : start + count]} == {
            (outcome, suite)
        }
        start += count
    assert start == len(rows)
