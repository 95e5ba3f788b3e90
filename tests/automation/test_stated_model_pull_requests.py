"""Lists of models that changed, from a document to pull requests on the double of GitHub."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.proposals import ProposalResults
from accelerator_automation.pull_requests import propose_stated_models
from accelerator_portal.catalog import Catalog
from tests.automation.github_double import HOME, GitHubDouble
from tests.automation.github_git import GitStore
from tests.automation.test_baseline_pull_requests import all_nights
from tests.folders import Tree, edited, loaded

VENDOR = "acme/plugin"
DOCUMENT = "docs/models.md"
LIST = "accelerators/example/stated-models.yaml"
BRANCH = "stated-models/example"
DAY = dt.date(2026, 3, 5)
FIRST = "# Models\n\n| Model | Type |\n| --- | --- |\n| Llama | FP16 |\n| Qwen | FP16 |\n"
WRITTEN = """\
sources:
  list:
    url: https://github.com/{repository}/blob/{commit}/{path}
    title: Acme, models
    read: 2026-01-31
lists:
  - source: list
    by: Acme
    software: acme
    headings: [Models]
    name: Model
    details: [Type]
    rows: 2
    models: [{{name: Llama, details: FP16}}, {{name: Qwen, details: FP16}}]
"""


@pytest.fixture
def vendor(double: GitHubDouble) -> GitStore:
    store = double.git[VENDOR] = GitStore()
    store.push("main", {DOCUMENT: FIRST}, "a@example.org")
    return store


@pytest.fixture
def catalog(tree: Tree, vendor: GitStore) -> Catalog:
    return loaded(tree({**edited(), LIST: _text(vendor)}))


@pytest.fixture
def git(double: GitHubDouble, vendor: GitStore) -> GitStore:
    double.login = BOT
    store = double.git[HOME] = GitStore()
    store.push("main", {LIST: _text(vendor), ".github/CODEOWNERS": ""}, "a@example.org")
    return store


def _text(vendor: GitStore) -> str:
    commit = next(iter(vendor.commits))
    return WRITTEN.format(repository=VENDOR, commit=commit, path=DOCUMENT)


def week(client: GitHubClient, catalog: Catalog) -> ProposalResults:
    return all_nights(lambda days: propose_stated_models(client, HOME, catalog, DAY + days))


def test_a_changed_list_is_one_pull_request_that_says_what_changed(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    assert week(client, catalog).words == "nothing"
    assert not git.pulls
    text = FIRST.replace("| Llama | FP16 |", "| Llama | FP8 |").replace("Qwen", "Gemma @acme")
    commit = vendor.push("main", {DOCUMENT: text}, "a@example.org")
    assert week(client, catalog).words == "1 opened"
    (pull,) = git.pulls
    assert pull["title"] == "Update the models that documents state for example"
    assert pull["body"].splitlines()[2:8] == [
        f"`acme/plugin/docs/models.md` at `{commit}` of 2026-03-04:",
        "",
        "- 2 rows, 2 taken (before: 2)",
        "- Added: `Gemma @acme`",
        "- Removed: `Qwen`",
        "- Changed: `Llama`",
    ]
    assert git.changed(BRANCH) == [LIST]
    written = git.files(BRANCH)[LIST]
    assert f"blob/{commit}/docs/models.md" in written
    assert "as_of: 2026-03-04" in written
    assert "name: Gemma @acme" in written


def test_a_declined_commit_is_not_proposed_again_and_a_later_one_is(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    vendor.push("main", {DOCUMENT: FIRST + "| Gemma | FP8 |\n"}, "a@example.org")
    week(client, catalog)
    git.pulls[0]["state"] = "closed"
    assert week(client, catalog).words == "1 declined by closing"
    vendor.push("main", {DOCUMENT: FIRST + "| Phi | FP8 |\n"}, "a@example.org")
    assert week(client, catalog).words == "1 opened"


def test_a_document_that_changed_its_form_is_one_problem(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    vendor.push("main", {DOCUMENT: "# Support\n"}, "a@example.org")
    assert week(client, catalog).words == (
        'nothing; example: docs/models.md:1: the document has no heading "Models"; '
        "name its headings again"
    )
    assert not git.pulls


def test_a_document_that_is_gone_is_one_problem(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    vendor.branches.clear()
    done = week(client, catalog)
    assert done.problems == {"example": "acme/plugin has no commit of docs/models.md"}
    assert not git.pulls


@pytest.mark.parametrize(
    "edit",
    [
        ("headings: [Models]", "headings: [Other]", 'the document has no heading "Other"'),
        ("rows: 2", "rows: many", f"{BRANCH} or main has an invalid stated-models.yaml"),
        ("rows: 2", "rows: [", f"{BRANCH} or main has an invalid stated-models.yaml"),
    ],
)
def test_a_file_of_main_that_no_longer_fits_is_one_problem(
    client: GitHubClient,
    double: GitHubDouble,
    git: GitStore,
    catalog: Catalog,
    edit: tuple[str, str, str],
) -> None:
    old, new, why = edit
    double.git[VENDOR].push("main", {DOCUMENT: f"{FIRST}| Phi | FP16 |\n"}, "a@example.org")
    git.push("main", {LIST: git.files("main")[LIST].replace(old, new)}, "a@example.org")
    assert why in week(client, catalog).problems["example"]
    assert not git.pulls
