"""Pushing in a real repository, while others push to the same branch."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_automation.proposals import PushResult, PushRetry, push_data
from accelerator_portal.catalog.git import GitError, git

pytestmark = pytest.mark.usefixtures("git_identity")

RETRY = PushRetry(attempts=3, first_wait=0.0)
REPORT = "accelerators/example/results/cpu.json"
HISTORY = (
    "data/history/example.sha256",
    "data/history/runs/results/accelerator=example/suite=s/month=2026-01/a.parquet",
)


def write(place: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, "utf-8")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "remote")
    first = tmp_path / "first"
    git(tmp_path, "clone", "--quiet", "remote", "first")
    write(first, {REPORT: "old", "data/old": "old", **dict.fromkeys(HISTORY, "old")})
    pushed_by_somebody(first, "first")
    return tmp_path / "remote"


@pytest.fixture
def checkout(remote: Path) -> Path:
    """As the workflows make it: the newest commit alone."""
    place = remote.with_name("checkout")
    git(remote.parent, "clone", "--quiet", "--depth=1", f"file://{remote}", str(place))
    return place


def pushed_by_somebody(place: Path, message: str) -> None:
    for words in (["add", "--all"], ["commit", "-qm", message], ["push", "-q", "origin", "main"]):
        git(place, *words)


def somebody(remote: Path, files: dict[str, str]) -> None:
    """Somebody else pushes files to main."""
    place = remote.with_name("first")
    git(place, "pull", "--quiet", "origin", "main")
    write(place, files)
    pushed_by_somebody(place, "other")


def push(checkout: Path) -> PushResult:
    return push_data(checkout, "main", ["accelerators", "data"], "Take reports", RETRY)


def on_main(remote: Path, path: str) -> str:
    return git(remote, "show", f"main:{path}")


def test_new_changed_and_removed_files_are_pushed_and_others_are_not(
    checkout: Path, remote: Path
) -> None:
    write(checkout, {REPORT: "new", "data/new": "new", "README.md": "not data"})
    (checkout / "data/old").unlink()
    assert push(checkout) == PushResult(3)
    listed = git(remote, "ls-tree", "-r", "--name-only", "main").split()
    assert listed == [REPORT, *HISTORY, "data/new"]
    assert on_main(remote, REPORT) == "new"
    assert push(checkout) == PushResult(0), "a job that is started again pushes nothing twice"
    assert git(remote, "rev-list", "--count", "main").strip() == "2"


def test_a_report_is_pushed_although_main_has_moved(checkout: Path, remote: Path) -> None:
    write(checkout, {REPORT: "new"})
    somebody(remote, {"README.md": "theirs"})
    assert push(checkout) == PushResult(1)
    assert (on_main(remote, REPORT), on_main(remote, "README.md")) == ("new", "theirs")


def test_one_file_that_main_changed_too_does_not_keep_the_others_back(
    checkout: Path, remote: Path
) -> None:
    write(checkout, {REPORT: "ours", "data/old": "ours", HISTORY[0]: "ours", HISTORY[1]: "ours"})
    somebody(remote, {REPORT: "theirs", HISTORY[0]: "theirs"})
    assert push(checkout) == PushResult(1, (REPORT, *HISTORY))
    assert on_main(remote, "data/old") == "ours"
    assert [on_main(remote, path) for path in (REPORT, *HISTORY)] == ["theirs", "theirs", "old"]


def test_the_same_change_on_both_sides_is_no_conflict(checkout: Path, remote: Path) -> None:
    write(checkout, {REPORT: "same", "data/old": "ours"})
    somebody(remote, {REPORT: "same"})
    assert push(checkout) == PushResult(1)


def test_a_push_that_another_overtakes_is_repeated(
    checkout: Path, remote: Path, tmp_path: Path
) -> None:
    """The hook pushes to main at the last moment, twice."""
    write(checkout, {REPORT: "new"})
    hook = checkout / ".git/hooks/pre-push"
    first = tmp_path / "first"
    hook.write_text(
        f'#!/bin/sh\nset -e\ncd {first}\nn=$(ls | wc -l)\n[ "$n" -lt 4 ] || exit 0\n'
        'unset GIT_DIR\ngit pull -q origin main\ntouch "other-$n"\ngit add .\n'
        "git commit -qm other\ngit push -q origin main\n",
        "utf-8",
    )
    hook.chmod(0o755)
    assert push(checkout) == PushResult(1)
    listed = git(remote, "ls-tree", "--name-only", "main").split()
    assert listed == ["accelerators", "data", "other-2", "other-3"]
    assert on_main(remote, REPORT) == "new"


def test_a_remote_that_is_gone_is_one_line(checkout: Path, remote: Path) -> None:
    write(checkout, {REPORT: "new"})
    remote.rename(remote.with_name("gone"))
    with pytest.raises(GitError, match=r"^git fetch: [^\n]+$"):
        push(checkout)
