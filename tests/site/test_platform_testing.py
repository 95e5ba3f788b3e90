"""What a platform's page says of tests that its vendor declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built_site import EXAMPLE, Page, build_site, copy_sources

FOLDER = "accelerators/acme"
DECLARED = """
report_feeds:
  - {name: nightly, url: "https://example.org/newest.json", source: SOURCE}
  - {name: release, release: {repository: acme/plugin, asset: report.json}, source: SOURCE}
  - name: weekly
    artifact: {repository: acme/ci, workflow: weekly.yml, artifact: out}
    source: SOURCE
upstream_events:
  events: [pull-request, daily]
  labels: [ciflow/acme]
  tasks: [build, unit]
  run: {dispatch: {repository: acme/tests, event_type: pytorch}}
  hours: 8
  source: SOURCE
maintainers: [{github: someone, source: SOURCE}]
"""
ISSUES = """\
issues:
  - {test: "timm/alpha", action: expect, reason: "It <b>*breaks*.", url: "https://example.org/1",
     expires: 2099-05-01}
  - {glob: "timm/b*", action: skip, reason: Too long., url: "https://example.org/2",
     expires: 2099-06-01}
"""
QUESTION = "\n## Why `torch.<acme>` and `a_b_c`?\n\nBecause [@SOURCE].\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    root = copy_sources(tmp_path_factory.mktemp("testing") / "repository", EXAMPLE)
    declare(root)
    return build_site(root, tmp_path_factory.mktemp("testing-site")).pages[
        "compute-platforms/acme/"
    ]


def declare(root: Path) -> None:
    folder = root / FOLDER
    for name, more in (("accelerator.yaml", DECLARED), ("faq.md", QUESTION)):
        text = (folder / name).read_text("utf-8")
        source = text.partition("sources:\n")[2].partition(":")[0].strip()
        (folder / name).write_text(text + more.replace("SOURCE", source), "utf-8")
    (folder / "known-issues.yaml").write_text(ISSUES, "utf-8")


def test_known_issues_have_their_reason_link_and_end(page: Page) -> None:
    first, second = page.tree.css("#known-issues ~ ul > li")
    words = " ".join(first.text().split())
    assert words == "timm/alpha: expected to fail. It <b>*breaks*. Issue, expires 2099-05-01"
    assert first.css("a")[0].attributes["href"] == "https://example.org/1"
    assert "timm/b*: skipped." in " ".join(second.text().split())


def test_each_feed_leads_to_where_reports_come_from(page: Page) -> None:
    links = [
        item.css("a")[0].attributes["href"] for item in page.tree.css("#report-feeds ~ ul > li")
    ]
    assert links == [
        "https://example.org/newest.json",
        "https://github.com/acme/plugin/releases",
        "https://github.com/acme/ci/actions/workflows/weekly.yml",
    ]


def test_the_tests_of_pytorchs_changes_are_named(page: Page) -> None:
    facts = {
        row.css("dt")[0].text(): row.css("dd")[0].text().strip()
        for row in page.tree.css("#upstream-events ~ dl > div")
    }
    assert facts.pop("Events").startswith("pull-request, daily")
    assert facts == {
        "Required label": "ciflow/acme",
        "Tasks": "build, unit",
        "Runs in": "acme/tests",
        "Time limit": "8 hours",
    }


def test_a_questions_heading_shows_code_as_code(page: Page) -> None:
    codes = [node.text() for node in page.tree.css("#faq ~ h3 code")]
    assert codes == ["torch.<acme>", "a_b_c"]
