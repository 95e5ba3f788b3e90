"""What stands for actions on this machine: a checkout, artifacts, an environment, and gh."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.automation.github_double import OWN_TOKEN, serve
from tests.automation.upstream.scene import HOME
from tests.folders import write_tree
from tools.act.github import git
from tools.act.steps import artifacts, checkout, download, gh, python, upload


@pytest.fixture(autouse=True)
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace of a job, with what `make act` tells it."""
    place = tmp_path / "workspace"
    place.mkdir()
    monkeypatch.chdir(place)
    for name, value in {
        "GITHUB_REPOSITORY": HOME,
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_PATH": str(tmp_path / "path"),
        "RUNNER_TEMP": str(tmp_path),
        "PORTAL_ACT_ROOT": str(tmp_path / "root"),
        "PORTAL_ACT_ORIGIN": str(tmp_path / "origin"),
        "PORTAL_ACT_SPOOL": str(tmp_path / "spool"),
        "PORTAL_ACT_WORKFLOW": "pages.yml",
    }.items():
        monkeypatch.setenv(name, value)
    return place


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_origin(write_tree(tmp_path / "origin", {"file": "1"}))


def make_origin(place: Path) -> Path:
    git(place, "init", "--quiet", "--initial-branch=main")
    for message in ("first", "second"):
        git(place, "add", ".")
        git(place, "commit", "--quiet", "--allow-empty", "-m", message)
    git(place, "tag", "v1")
    return place


def test_a_branch_is_checked_out_as_a_branch(job: Path, origin: Path) -> None:
    assert checkout("", "", ".", "1") == 0
    assert git(job, "branch", "--show-current") == "main"
    assert git(job, "rev-list", "--count", "HEAD") == "1"
    assert (job / "file").read_text("utf-8") == (origin / "file").read_text("utf-8")


def test_a_tag_is_checked_out_with_the_history_that_is_asked_for(job: Path, origin: Path) -> None:
    assert checkout(HOME, "refs/tags/v1", "portal", "2") == 0
    assert git(job / "portal", "rev-parse", "HEAD") == git(origin, "rev-parse", "main")
    assert git(job / "portal", "rev-list", "--count", "HEAD") == "2"


def test_another_repository_is_not_here(capfd: pytest.CaptureFixture[str]) -> None:
    assert checkout("pytorch/pytorch", "v2.0.0", "pytorch", "1") == 1
    assert capfd.readouterr().err == (
        f"pytorch/pytorch is not on this machine: only {HOME} can be checked out\n"
    )


def test_files_and_folders_come_back_as_they_were(job: Path) -> None:
    write_tree(job, {"plan.json": "{}", "site/a/index.html": "a"})
    assert upload("plan", "plan.json", "error") == upload("site", "site", "error") == 0
    assert download("plan", "", "one") == download("", "si*", "all") == 0
    assert (job / "one/plan.json").read_text("utf-8") == "{}"
    assert (job / "all/site/a/index.html").read_text("utf-8") == "a"


def test_the_newest_artifact_of_a_name_counts(job: Path) -> None:
    for text in ("old", "new"):
        write_tree(job, {"plan.json": text})
        upload("plan", "plan.json", "error")
    download("plan", "", "one")
    assert (job / "one/plan.json").read_text("utf-8") == "new"


@pytest.mark.parametrize(("missing", "status"), [("error", 1), ("warn", 0), ("ignore", 0)])
def test_no_file_is_an_error_where_the_workflow_says_so(
    tmp_path: Path, missing: str, status: int
) -> None:
    assert upload("plan", "nowhere", missing) == status
    assert list(artifacts(tmp_path / "spool")) == []


def test_a_name_that_was_not_uploaded_fails_and_a_pattern_does_not() -> None:
    assert (download("plan", "", "."), download("", "plan-*", ".")) == (1, 0)


def test_a_python_that_lacks_is_replaced_and_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert python("3.99") == 0
    assert capfd.readouterr().out == "Python 3.99: not installed, the portal’s is used\n"
    found = Path((tmp_path / "path").read_text("utf-8").strip())
    assert (found / "python3").exists()


def test_gh_starts_a_workflow_on_the_double_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serve() as double:
        double.repositories.add(HOME)
        monkeypatch.setenv("GITHUB_API_URL", double.home)
        monkeypatch.setenv("GH_TOKEN", OWN_TOKEN)
        assert gh("auth", "setup-git") == gh("workflow", "run", "pages.yml") == 0
        assert gh("pr", "create") == 1
        assert double.dispatched == [(f"{HOME}/pages.yml", {"ref": "main"})]


def test_a_checkout_of_the_portal_has_the_environment(tmp_path: Path, job: Path) -> None:
    write_tree(tmp_path / "root/.venv", {".installed": "", "bin/tool": "", "pyvenv.cfg": ""})
    write_tree(tmp_path / "origin", {"src/accelerator_portal/__init__.py": ""})
    make_origin(tmp_path / "origin")
    assert checkout("", "", ".", "1") == 0
    assert (job / ".venv/.installed").exists()
    assert (job / ".venv/bin").resolve() == tmp_path / "root/.venv/bin"


def test_archives_hold_what_the_workflow_named(tmp_path: Path, job: Path) -> None:
    write_tree(job, {"site/.nojekyll": "", "site/a.html": "a"})
    upload("github-pages", "site", "error")
    ((_, _, file),) = artifacts(tmp_path / "spool")
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == [".nojekyll", "a.html"]
