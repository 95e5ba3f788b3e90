"""Cited files that changed, from a folder's sources to issues on the double of GitHub."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from accelerator_automation.cited_files import CHECK_INTERVAL_DAYS, cited_files, report_cited_files
from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.issues import Issues
from accelerator_portal.catalog import Catalog
from accelerator_reports.report_file import report_text
from tests.automation.github_double import HOME, Fault, GitHubDouble
from tests.automation.github_git import GitStore
from tests.folders import ACCELERATOR, INSTALL, Tree, edited, loaded
from tests.portal.results.made_up import made_up

VENDOR = "vendor/plugin"
TABLE = "docs/table.md"
REPORT = "accelerators/example/results/report.json"
FIRST = {TABLE: "# Versions\f\n1.0 needs 1.9\n", "README.md": "Words\n", "tests/a.py": "a\n"}
DAY = dt.date(2026, 3, 4)

Week = Callable[[Catalog], Issues]


@pytest.fixture
def git(double: GitHubDouble) -> GitStore:
    double.login = BOT
    store = double.git[VENDOR] = GitStore()
    store.push("main", FIRST, "a@example.org")
    return store


@pytest.fixture
def catalog(tree: Tree, git: GitStore) -> Catalog:
    """The example, whose driver is cited by line, whose device by file, with an imported report."""
    commit = git.branches["main"]
    more = (
        "  {name}:\n    url: https://github.com/{repository}/blob/{commit}/{path}\n"
        "    title: Made up\n    read: 2026-01-02\n{lines}"
    )
    table = {"name": "table", "path": TABLE, "lines": '    lines: "2-3"\n'}
    words = {"name": "words", "path": "README.md", "lines": ""}
    own = [more.format(repository=VENDOR, commit=commit, **one) for one in (table, words)]
    driver = 'name: Example driver, version: ">=5", os: [linux], source: '
    device = "note: Made up., value: ex, source: "
    origin = {"repository": VENDOR, "commit": commit, "path": "tests"}
    report = made_up(0, {"a": "passed"}, origins=[origin])
    return loaded(
        tree(
            {
                **edited(
                    (INSTALL, "sources:\n", f"sources:\n{own[0]}"),
                    (INSTALL, f"{driver}made-up", f"{driver}table"),
                    (ACCELERATOR, "sources:\n", f"sources:\n{own[1]}"),
                    (ACCELERATOR, f"{device}made-up", f"{device}words"),
                ),
                REPORT: report_text(report),
            }
        )
    )


@pytest.fixture
def week(client: GitHubClient) -> Week:
    """All nights of a week: each platform is looked up in one of them."""

    def run(catalog: Catalog) -> Issues:
        done = [
            report_cited_files(client, HOME, catalog, DAY + dt.timedelta(days=day))
            for day in range(CHECK_INTERVAL_DAYS)
        ]
        opened, renewed, closed = (
            sum(getattr(one, kind) for one in done) for kind in ("opened", "renewed", "closed")
        )
        return Issues(opened, renewed, closed)

    return run


def body(double: GitHubDouble, number: int = 1) -> str:
    return str(double.issues[HOME][number - 1]["body"])


def test_sources_and_imported_reports_are_cited(catalog: Catalog, git: GitStore) -> None:
    found = cited_files(catalog)["example"]
    assert {file.path: cited.lines for file, cited in found.items()} == {
        TABLE: ["2-3"], "README.md": [None], "tests": [None],
    }  # fmt: skip
    assert {file.commit for file in found} == {git.branches["main"]}


def test_files_that_are_as_they_were_read_need_no_issue(
    week: Week, catalog: Catalog, double: GitHubDouble
) -> None:
    assert week(catalog) == Issues()
    assert double.issues.get(HOME, []) == []
    assert len(double.said("GET", "contents/")) == 6


def test_what_is_added_and_removed_is_one_issue_for_the_platform(
    week: Week, catalog: Catalog, git: GitStore, double: GitHubDouble
) -> None:
    git.push("main", {TABLE: "# Versions\n2.0 needs 1.10\n", "tests/b.py": "b\n"}, "a@example.org")
    assert week(catalog) == Issues(opened=1)
    (issue,) = double.issues[HOME]
    assert issue["title"] == "example: cited files have changed"
    commit = cited_files(catalog)["example"].popitem()[0].commit
    assert body(double).splitlines()[4:11] == [
        f"- `{VENDOR}`, `{TABLE}` at `{commit}`: cited in `{INSTALL}:16`",
        f"  - Newest commit: `{git.branches['main']}` of 2026-03-04",
        "  - Removed: `1.0 needs 1.9`",
        "  - Added: `2.0 needs 1.10`",
        f"- `{VENDOR}`, `tests` at `{commit}`: cited in `{REPORT}`",
        f"  - Newest commit: `{git.branches['main']}` of 2026-03-04",
        "  - Added: `b.py`",
    ]
    assert week(catalog) == Issues()
    git.push("main", {TABLE: "# Versions\n3.0 needs 1.11\n"}, "a@example.org")
    assert week(catalog) == Issues(renewed=1)
    assert "  - Added: `3.0 needs 1.11`\n" in body(double)


def test_a_cited_line_that_only_moved_is_no_news(
    week: Week, catalog: Catalog, git: GitStore
) -> None:
    git.push("main", {TABLE: f"A new first line\n{FIRST[TABLE]}"}, "a@example.org")
    assert week(catalog) == Issues()
    git.push("main", {TABLE: f"{FIRST[TABLE]}A new last line\n"}, "a@example.org")
    assert week(catalog) == Issues()
    windows_lines = FIRST[TABLE].replace("\n", "\r\n")
    git.push("main", {TABLE: f"A new first line\r\n{windows_lines}"}, "a@example.org")
    assert week(catalog) == Issues()


def test_an_issue_is_closed_when_the_files_are_as_cited_again(
    week: Week, catalog: Catalog, git: GitStore, double: GitHubDouble
) -> None:
    git.push("main", {"README.md": "Other words\n"}, "a@example.org")
    week(catalog)
    git.push("main", FIRST, "a@example.org")
    assert week(catalog) == Issues(closed=1)
    git.push("main", {"README.md": "Third words\n"}, "a@example.org")
    assert week(catalog) == Issues(opened=1)
    assert [issue["state"] for issue in double.issues[HOME]] == ["closed", "open"]


def test_what_was_declined_is_not_reported_again(
    week: Week, catalog: Catalog, git: GitStore, double: GitHubDouble
) -> None:
    git.push("main", {"README.md": "Other words\n"}, "a@example.org")
    week(catalog)
    double.issues[HOME][0] |= {"state": "closed", "state_reason": "not_planned"}
    git.push("main", {"README.md": "Third words\n"}, "a@example.org")
    assert week(catalog) == Issues()
    git.push("main", {TABLE: "nothing\n"}, "a@example.org")
    assert week(catalog) == Issues(opened=1)
    assert "README.md" not in body(double, 2)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "The default branch no longer has the file. The facts keep their source."),
        (
            {"README.md/a": ""},
            "The path was a file and is now a folder. The facts keep their source.",
        ),
        (
            {"README.md": "\0"},
            "The file changed. It is not text, or larger than 1 MB: compare it by hand.",
        ),
    ],
)
def test_a_file_that_is_gone_or_changes_its_form_is_one_problem(
    files: dict[str, str], words: str, week: Week, catalog: Catalog, double: GitHubDouble
) -> None:
    kept = {name: text for name, text in FIRST.items() if name != "README.md"}
    git, author = double.git[VENDOR], {"email": "a@example.org", "name": "A"}
    tree, parents = git.add_tree({**kept, **files}), [git.branches["main"]]
    git.branches["main"] = git.add_commit(tree, parents, author, "push")
    assert week(catalog) == Issues(opened=1)
    assert body(double).count("cited in") == 1
    assert f"  - {words}\n" in body(double)


def test_a_repository_that_is_gone_is_one_problem(
    week: Week, catalog: Catalog, double: GitHubDouble
) -> None:
    del double.git[VENDOR]
    assert week(catalog) == Issues(opened=1)
    assert f"- `{VENDOR}`: cited in `{ACCELERATOR}:" in body(double)
    assert body(double).count("cited in") == 1
    assert "The repository was deleted or is private. The facts keep their sources." in body(double)


def test_github_that_does_not_answer_leaves_the_issues(
    week: Week, catalog: Catalog, git: GitStore, double: GitHubDouble
) -> None:
    git.push("main", {"README.md": "Other words\n"}, "a@example.org")
    week(catalog)
    before = body(double)
    double.faults.append(Fault("contents/", 503, times=99))
    with pytest.raises(GitHubError, match="HTTP 503"):
        week(catalog)
    assert (double.issues[HOME][0]["state"], body(double)) == ("open", before)


def test_text_of_a_file_does_nothing_on_github(
    week: Week, catalog: Catalog, git: GitStore, double: GitHubDouble
) -> None:
    git.push("main", {"README.md": "@somebody `#1 <b>\u200b\n" * 3000}, "a@example.org")
    assert week(catalog) == Issues(opened=1)
    assert "``@somebody `#1 <b>\\u200b``" in body(double)
    assert "and 2995 more" in body(double)
