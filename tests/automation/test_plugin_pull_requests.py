"""New plugin releases, from an index's facts to pull requests on the double of GitHub."""

from __future__ import annotations

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.branch import EMAIL
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.proposals import ProposalResults
from accelerator_automation.pull_requests import propose_releases
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.package_file import ReleaseFacts
from tests.automation.github_double import HOME, Fault, GitHubDouble
from tests.automation.github_git import GitStore
from tests.folders import ACCELERATOR, COMPATIBILITY, Tree, edited, loaded
from tests.portal.packages.made_up import PLUGINS, release, with_facts

BRANCH = "plugin-release/example"
LISTED = [release("1.10.0", "torch==1.10.0"), release("1.9.1", "torch==1.9.1")]
NEW = release("1.11.0", "torch==1.11.0")

# The newest row states a driver: the vendor is asked for it. A person answers for the folder.
FILES = edited(
    (COMPATIBILITY, 'plugin: "1.10.0",', 'plugin: "1.10.0", needs: {SDK: "9.1"},'),
    (
        ACCELERATOR,
        "support:",
        "maintainers:\n  - {name: A Person, github: a-person, source: made-up}\nsupport:",
    ),
    files=PLUGINS,
)
BLOCK = f"{FILES[COMPATIBILITY]}  # the oldest release\n"


@pytest.fixture
def git(double: GitHubDouble) -> GitStore:
    """The repository on GitHub, whose main has the file that is edited."""
    double.login = BOT
    store = double.git[HOME] = GitStore()
    owners = "/accelerators/example/ @a-person\n/accelerators/other/ @another\n"
    files = {COMPATIBILITY: BLOCK, ".github/CODEOWNERS": owners}
    store.push("main", files, "a@example.org")
    return store


@pytest.fixture
def catalog(tree: Tree) -> Catalog:
    return loaded(tree(FILES))


def night(client: GitHubClient, catalog: Catalog, *new: ReleaseFacts) -> ProposalResults:
    return propose_releases(client, HOME, with_facts(catalog, [*new, *LISTED]))


def test_a_new_release_is_one_pull_request_that_shows_the_row_and_asks_its_owner(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    assert night(client, catalog, NEW).words == "1 opened"
    (pull,) = git.pulls
    assert pull["title"] == "Add torch-example 1.11.0 to example"
    assert git.changed(BRANCH) == [COMPATIBILITY]
    row = (
        '  - torch: "1.11.0"\n    plugin: "1.11.0"\n    python: ["3.12", "3.13"]\n'
        "    source: package-1-11-0\n"
    )
    text = git.files(BRANCH)[COMPATIBILITY]
    assert text.index(row) < text.index('- {torch: "1.10.0"')
    assert "  # the oldest release\n" in text
    assert pull["body"].splitlines()[2:6] == [
        "`torch-example 1.11.0` was published on 2026-02-01. It requires `torch==1.11.0`.",
        "",
        "- Wheels: `Linux x86_64`",
        "- Python: `3.12, 3.13`",
    ]
    assert (
        "- To add: the `SDK version`, with its source. "
        'The newest row with this field has `needs: {"SDK": "9.1"}`.'
    ) in pull["body"]
    assert git.reviewers(pull["number"]) == {"@a-person"}
    assert git.commits[git.branches[BRANCH]]["author"]["email"] == EMAIL


def test_two_nights_open_one_pull_request_and_the_second_writes_nothing(
    client: GitHubClient, double: GitHubDouble, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    before = len([asked for asked in double.asked if asked.method != "GET"])
    assert night(client, catalog, NEW).words == "1 unchanged"
    assert len([asked for asked in double.asked if asked.method != "GET"]) == before
    assert len(git.pulls) == 1


def test_a_second_release_joins_the_open_pull_request(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    later = release("1.11.1", "torch==1.11.0")
    assert night(client, catalog, later, NEW).words == "1 updated"
    (pull,) = git.pulls
    assert pull["title"] == "Add torch-example 1.11.1, torch-example 1.11.0 to example"
    text = git.files(BRANCH)[COMPATIBILITY]
    assert text.index('plugin: "1.11.1"') < text.index('plugin: "1.11.0"')
    assert git.commits[git.branches[BRANCH]]["parents"] == [git.branches["main"]]


def test_a_pull_request_with_many_releases_is_found_again(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    many = [release(f"1.11.{number}", "torch==1.11.0") for number in range(40)]
    assert night(client, catalog, *many).words == "1 opened"
    assert night(client, catalog, *many).words == "1 unchanged"
    assert len(git.pulls) == 1


def test_a_closed_pull_request_is_not_opened_again_and_a_later_release_is(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    git.pulls[0]["state"] = "closed"
    assert night(client, catalog, NEW).words == "1 declined by closing"
    later = release("1.12.0", "torch==1.12.0")
    assert night(client, catalog, later, NEW).words == "1 opened"
    assert len(git.pulls) == 2
    assert '"1.11.0"' not in git.files(BRANCH)[COMPATIBILITY]


def test_a_pull_request_that_a_person_edited_on_its_page_is_still_known(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    git.pulls[0]["body"] = git.pulls[0]["body"].replace("\n", "\r\n")
    assert night(client, catalog, NEW).words == "1 updated"
    assert night(client, catalog, NEW).words == "1 unchanged"


def test_a_merged_pull_request_leaves_nothing_to_do(
    client: GitHubClient, git: GitStore, catalog: Catalog, tree: Tree
) -> None:
    night(client, catalog, NEW)
    git.pulls[0] |= {"state": "closed", "merged_at": "2026-03-02T00:00:00Z"}
    merged = git.files(BRANCH)
    git.push("main", merged, "a@example.org")
    after = loaded(tree({**FILES, COMPATIBILITY: merged[COMPATIBILITY]}))
    assert night(client, after, NEW).words == "no new plugin release"


def test_what_the_owner_pushed_to_the_branch_stays(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    answered = git.files(BRANCH)[COMPATIBILITY].replace(
        '    python: ["3.12", "3.13"]\n', '    python: ["3.12", "3.13"]\n    needs: {SDK: "9.2"}\n'
    )
    git.push(BRANCH, {COMPATIBILITY: answered}, "owner@example.org")
    later = release("1.11.1", "torch==1.11.0")
    assert night(client, catalog, later, NEW).words == "1 edited by a person"
    assert git.files(BRANCH)[COMPATIBILITY] == answered


def test_the_row_goes_into_the_file_as_main_has_it_by_now(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    git.push("main", {COMPATIBILITY: f"# a new first line\n{BLOCK}"}, "a@example.org")
    assert night(client, catalog, NEW).words == "1 updated"
    assert git.files(BRANCH)[COMPATIBILITY].startswith("# a new first line\n")
    assert git.changed(BRANCH) == [COMPATIBILITY]


def test_nobody_else_s_pull_request_declines_a_release(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    night(client, catalog, NEW)
    git.pulls[0] |= {"state": "closed", "user": {"login": "somebody"}}
    assert night(client, catalog, NEW).words == "1 opened"


@pytest.mark.parametrize("lost", ["git/trees", "git/commits", "git/refs", "pulls"])
def test_an_answer_that_was_lost_doubles_nothing(
    client: GitHubClient, double: GitHubDouble, git: GitStore, catalog: Catalog, lost: str
) -> None:
    double.faults.append(Fault(f"POST repos/{HOME}/{lost}", cut=True, after=True))
    with pytest.raises(GitHubError, match="did not respond"):
        night(client, catalog, NEW)
    night(client, catalog, NEW)
    assert len(git.pulls) == 1
    assert git.changed(BRANCH) == [COMPATIBILITY]


def test_a_release_whose_metadata_names_no_torch_is_named_with_the_command(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    done = night(client, catalog, release("1.11.0", ""))
    assert not git.pulls
    assert done.words == (
        "no new plugin release; example: the metadata of torch-example 1.11.0 states no torch "
        "version; run accelerator-portal plugin-release example 1.11.0 --torch VERSION"
    )


def test_each_release_whose_metadata_names_no_torch_is_named(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    done = night(client, catalog, release("1.11.0", ""), release("1.12.0", ""))
    assert not git.pulls
    assert all(f"torch-example {one} states no torch" in done.words for one in ("1.11.0", "1.12.0"))


def test_a_file_in_another_form_holds_up_nobody(
    client: GitHubClient, git: GitStore, catalog: Catalog
) -> None:
    git.push("main", {COMPATIBILITY: "rows: [\n"}, "a@example.org")
    done = night(client, catalog, NEW)
    assert not git.pulls
    assert f"example: {COMPATIBILITY}:1: not valid YAML" in done.words


def test_a_night_without_news_asks_github_nothing(
    client: GitHubClient, double: GitHubDouble, git: GitStore, catalog: Catalog
) -> None:
    assert night(client, catalog).words == "no new plugin release"
    assert double.asked == []
    assert git.pulls == []
