"""A PyTorch release, from indexes on loopback to a pull request on the double of GitHub."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from accelerator_automation.github.branch import EMAIL
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.proposals import ProposalResults
from accelerator_automation.pull_requests import incomplete_releases, propose_pytorch_releases
from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts
from accelerator_portal.releases.published_builds import query_release
from accelerator_portal.releases.release_entry import read_releases
from tests.automation.github_double import HOME, GitHubDouble
from tests.automation.github_git import GitStore
from tests.folders import Tree
from tests.portal.packages.loopback import send
from tests.portal.packages.made_up import release
from tests.portal.releases.made_up import FILES, VERSION, Indexes, made_up_indexes

BRANCH = f"pytorch-release/{VERSION}"
Night = Callable[[Catalog], ProposalResults]

DAY = dt.date(2027, 6, 1)  # long after the newest release that is listed


@pytest.fixture
def indexes() -> Iterator[Indexes]:
    with made_up_indexes() as found:
        yield found


@pytest.fixture
def git(double: GitHubDouble) -> GitStore:
    double.login = BOT
    store = double.git[HOME] = GitStore()
    store.push("main", {RELEASES: str(FILES[RELEASES])}, "a@example.org")
    return store


@pytest.fixture
def catalog(tree: Tree) -> Catalog:
    found, _ = load_catalog(tree(FILES))
    assert found is not None
    return on_pypi(found, VERSION)


def on_pypi(catalog: Catalog, *versions: str, **said: str) -> Catalog:
    facts = IndexFacts(index="pypi", releases=tuple(release(v, **said) for v in versions))
    packages = {**catalog.packages, "torch": PackageFacts(package="torch", indexes=(facts,))}
    return replace(catalog, packages=packages)


@pytest.fixture
def night(client: GitHubClient, indexes: Indexes, tmp_path: Path) -> Night:
    """A night's step, which asks the indexes on loopback."""

    def run(catalog: Catalog) -> ProposalResults:
        asked = partial(query_release, tmp_path, catalog, options=indexes.options)
        return propose_pytorch_releases(client, HOME, catalog, asked, DAY)

    return run


def test_a_release_on_pypi_is_one_pull_request_with_its_entry(
    night: Night, git: GitStore, catalog: Catalog
) -> None:
    assert night(catalog).words == "1 opened"
    (pull,) = git.pulls
    assert pull["title"] == f"Add torch {VERSION}"
    assert git.changed(BRANCH) == [RELEASES]
    entry = read_releases(RELEASES, git.files(BRANCH)[RELEASES])[0].by_version[VERSION]
    assert {wheel.variant for wheel in entry.wheels} == {"cu132", "cpu"}
    lines = pull["body"].splitlines()
    assert lines[2].startswith(f"`torch {VERSION}` was published on 2026-11-20.")
    assert any(line.startswith("- `cu132 linux x86_64`: `manylinux_2_28_x86_64`") for line in lines)
    assert f"- `torchvision 0.31.0` requires `torch {VERSION}`." in lines
    assert git.commits[git.branches[BRANCH]]["author"]["email"] == EMAIL
    pull["state"] = "closed"
    assert night(catalog).words == "1 declined by closing"


def test_companions_are_in_the_pull_request(
    night: Night, git: GitStore, catalog: Catalog, indexes: Indexes
) -> None:
    indexes.pypi.add("torchaudio", VERSION, requires=[f"torch=={VERSION}"])
    indexes.pypi.add("torchao", "0.19.0")
    assert night(catalog).words == "1 opened"
    body = git.pulls[0]["body"]
    assert (
        f"- `torchaudio {VERSION}` matches `torch {VERSION}`, according to its metadata on PyPI.\n"
        in body
    )
    assert "\n- `torchao 0.19.0 is on PyPI, and its metadata does not state which torch" in body
    found = read_releases(RELEASES, git.files(BRANCH)[RELEASES])[0]
    assert found.companions_of(VERSION)["torchaudio"][0] == VERSION


def test_a_second_night_changes_nothing_and_a_later_build_joins(
    night: Night, git: GitStore, catalog: Catalog, indexes: Indexes
) -> None:
    indexes.cpu.answers["/simple/torch/"] = lambda handler: send(handler, 500)
    indexes.all_builds.answers["/simple/torch/"] = lambda handler: send(handler, 500)
    night(catalog)
    assert "Could not be read; a later run completes the entry:" in git.pulls[0]["body"]
    assert night(catalog).words == "1 unchanged"
    indexes.cpu.answers.clear()
    indexes.all_builds.answers.clear()
    assert night(catalog).words == "1 updated"
    assert "`cpu linux x86_64`" in git.pulls[0]["body"]
    assert len(git.pulls) == 1


def test_an_entry_that_lists_everything_needs_no_pull_request(
    night: Night, git: GitStore, catalog: Catalog
) -> None:
    night(catalog)
    git.pulls[0] |= {"state": "closed", "merged_at": "2026-03-02T00:00:00Z"}
    git.push("main", git.files(BRANCH), "a@example.org")
    assert night(catalog).words == "no new PyTorch release"


def test_a_release_that_no_index_has_is_named_and_nothing_is_written(
    night: Night, git: GitStore, catalog: Catalog, indexes: Indexes
) -> None:
    for index in (indexes.pypi, indexes.cpu, indexes.all_builds):
        index.projects.clear()
    done = night(catalog)
    assert "no index that could be read has wheels of torch 2.16.0" in done.words
    assert git.pulls == []


def test_a_night_without_news_asks_nobody(
    night: Night, double: GitHubDouble, catalog: Catalog, indexes: Indexes
) -> None:
    listed = on_pypi(catalog, catalog.releases.newest.version)
    assert night(listed).words == "no new PyTorch release"
    assert double.asked == []
    assert indexes.pypi.asked == []


def test_final_releases_count_and_the_newest_is_completed_for_a_month(catalog: Catalog) -> None:
    newest = catalog.releases.newest
    found = on_pypi(catalog, VERSION, "2.17.0rc1", "2.4.0", newest.version)
    assert [*incomplete_releases(found, DAY)] == [VERSION]
    assert [*incomplete_releases(found, newest.date + dt.timedelta(30))] == [
        newest.version,
        VERSION,
    ]
    assert [*incomplete_releases(found, newest.date + dt.timedelta(31))] == [VERSION]
    assert [*incomplete_releases(on_pypi(catalog, VERSION, yanked="broken"), DAY)] == []
