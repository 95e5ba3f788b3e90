"""The branch in a real repository, whose remote is another one on the same disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from accelerator_automation import proposals
from accelerator_automation.archive_store import ArchiveError
from accelerator_automation.proposals import fetch_archive, push_archive
from accelerator_portal.catalog.git import GitError, git, run_git

pytestmark = pytest.mark.usefixtures("git_identity")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--bare", "remote")
    return tmp_path / "remote"


@pytest.fixture
def repository(tmp_path: Path, remote: Path) -> Path:
    git(tmp_path, "init", "--quiet", "repository")
    git(tmp_path / "repository", "remote", "add", "origin", str(remote))
    return tmp_path / "repository"


def fetched(repository: Path, name: str) -> Path:
    place = repository / name
    fetch_archive(repository, place)
    return place


def test_the_branch_is_one_commit_however_many_nights_there_were(
    repository: Path, remote: Path
) -> None:
    place = repository / "first"
    assert not fetch_archive(repository, place)
    (place / "runs").mkdir()
    for night in ("1", "2", "3"):
        (place / f"runs/{night}").write_text(night, "utf-8")
        assert push_archive(place)
        assert not push_archive(place), "nothing is new"
    (place / "runs/1").unlink()
    assert push_archive(place)
    assert git(remote, "rev-list", "--count", "archive").strip() == "1"

    again = repository / "second"
    assert fetch_archive(repository, again)
    assert sorted(path.name for path in (again / "runs").iterdir()) == ["2", "3"]
    assert not push_archive(again)


def test_what_a_killed_night_left_half_written_is_not_pushed(repository: Path) -> None:
    place = fetched(repository, "first")
    (place / "runs").mkdir()
    (place / "runs/1.json.gz.new").write_bytes(b"half")
    (place / "runs/2.json.gz").write_bytes(b"whole")
    assert push_archive(place)
    found = [path.name for path in (fetched(repository, "second") / "runs").iterdir()]
    assert found == ["2.json.gz"]


@pytest.mark.parametrize("before", [["old"], []])
def test_what_somebody_else_pushed_meanwhile_stays(
    repository: Path, remote: Path, before: list[str]
) -> None:
    begin = fetched(repository, "begin")
    for name in before:
        (begin / name).touch()
        push_archive(begin)
    first, second = fetched(repository, "first"), fetched(repository, "second")
    (first / "a").touch()
    (second / "b").touch()
    (second / "old").unlink(missing_ok=True)
    push_archive(first)
    assert push_archive(second)
    listed = git(remote, "ls-tree", "-r", "--name-only", "archive").split()
    assert listed == ["a", "b"]
    assert git(remote, "rev-list", "--count", "archive").strip() == "1"
    assert not push_archive(second)


def test_what_others_change_between_two_attempts_is_no_conflict(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others, ours = fetched(repository, "others"), fetched(repository, "ours")
    (ours / "b").touch()
    contents = iter(["first", "second"])

    def push_of_others_first(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        content = next(contents, None) if arguments[0] == "push" and place == ours else None
        if content:
            (others / "a").write_text(content, "utf-8")
            assert push_archive(others)
        return run_git(place, *arguments)

    monkeypatch.setattr(proposals, "run_git", push_of_others_first)
    assert push_archive(ours)
    assert sorted(path.name for path in ours.iterdir() if path.name != ".git") == ["a", "b"]
    assert (ours / "a").read_text("utf-8") == "second"


def test_an_object_that_somebody_else_changed_is_not_replaced(
    repository: Path, remote: Path
) -> None:
    first, second = fetched(repository, "first"), fetched(repository, "second")
    (first / "a").write_text("first", "utf-8")
    (second / "a").write_text("second", "utf-8")
    (second / "b").touch()
    push_archive(first)
    with pytest.raises(ArchiveError, match=r"^a changed on the branch .* Run the job again$"):
        push_archive(second)
    assert git(remote, "show", "archive:a") == "first"
    assert git(remote, "ls-tree", "--name-only", "archive").split() == ["a"]


def test_a_branch_that_cannot_be_asked_for_is_no_empty_archive(
    repository: Path, remote: Path
) -> None:
    remote.rename(remote.with_name("gone"))
    with pytest.raises(GitError, match=r"^git ls-remote: "):
        fetch_archive(repository, repository / "place")


def test_a_folder_that_is_there_is_not_touched(repository: Path) -> None:
    (repository / "place").mkdir()
    with pytest.raises(ArchiveError, match=r"already exists\. Use a new folder"):
        fetch_archive(repository, repository / "place")
