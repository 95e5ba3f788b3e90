"""A test or a suite that no report has any more breaks no link: it leads to its history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from accelerator_portal.site.broken_links import BuiltSite, site_faults
from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, Page, build_files, copy_sources

HISTORY = "../../results/test-history/?platform=acme-runs&test=made-up%2F"


def newer_report(old: dict[str, Any], trigger: str, *names: str) -> dict[str, Any]:
    """A report of the next day with only these tests of the first suite."""
    tests = [test for test in old["tests"] if test["name"] in names]
    return {
        **old,
        "started": "2026-01-11T03:00:00Z",
        "trigger": {"kind": trigger},
        "suites": [suite for suite in old["suites"] if suite["name"] == "made-up"],
        "tests": tests,
    }


@pytest.mark.parametrize(
    "trigger",
    ["nightly", "manual", None],
    ids=["a nightly run without a test", "a run of a part", "no report at all"],
)
def test_links_to_gone_tests_lead_to_their_history(trigger: str | None, tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "repository", EXAMPLE)
    add = ["history", "add", "--root", str(root)]
    assert CliRunner().invoke(main, add).exit_code == 0
    reports = sorted((root / "accelerators/acme/results").glob("*.json"))
    old = json.loads(reports[1].read_text("utf-8"))
    for report in reports:
        report.unlink()
    if trigger:
        reports[0].write_text(json.dumps(newer_report(old, trigger, "second")), "utf-8")
        assert CliRunner().invoke(main, add).exit_code == 0
    build_files(root, tmp_path / "site")
    assert not list(map(str, site_faults(BuiltSite(tmp_path / "site"))))
    page = Page("", (tmp_path / "site/results/changes/index.html").read_text("utf-8"))
    addresses = {link.attributes["href"] for link in page.tree.css(".over-time a")}
    assert addresses == {f"{HISTORY}first"}
    dashboard = (tmp_path / "site/results/dashboard/index.html").read_text("utf-8")
    assert ("acme-runs&amp;test=made-up%2Ffirst" in dashboard) == bool(trigger)
