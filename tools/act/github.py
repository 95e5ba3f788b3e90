"""Simulates GitHub for the jobs: the tests' double with the jobs' artifacts, and repositories."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from accelerator_automation.upstream.incoming import UPSTREAM
from accelerator_portal.results.report_intake import add_reports
from tests.automation.github_apps import app_double
from tests.automation.github_double import Asked, GitHubDouble
from tests.automation.github_git import GitStore
from tests.automation.upstream.scene import HOME, VENDOR, keep_upload, populate, portal, report
from tests.automation.upstream.test_check_runs import RELAY
from tests.folders import REPOSITORY, write_tree
from tools.act.steps import artifacts
from tools.same import copy_working_tree

PULL_NUMBER = 5
"""The number of the portal's pull request."""

_CRITERIA = "data/criteria.yaml"
_AUTHOR = ("-c", "user.name=act", "-c", "user.email=act@example.org", "-c", "commit.gpgsign=false")


class ActDouble(GitHubDouble):
    """The double with PyTorch's, a vendor's and the portal's repository, and the App.

    Before each response, it adds the new artifacts in the folder `spool`.
    """

    def __init__(self, spool: Path) -> None:
        super().__init__()
        self._spool = spool
        self._added: set[Path] = set()
        populate(self)
        git = self.git[HOME] = GitStore()
        git.push("main", {".github/CODEOWNERS": "* @owner\n"}, "act@example.org")
        self.records[f"repos/{UPSTREAM}/commits/main"] = {"sha": "e" * 40}
        self.app = app_double()
        self.app.install("pytorch", pull_requests="write", checks="write")
        owner, _, name = VENDOR.partition("/")
        self.app.install(owner, name, contents="write", actions="read")

    def answer(self, asked: Asked) -> tuple[int, Mapping[str, str], bytes]:
        """Return the status, headers and body of the response to a request."""
        self.take_uploads()
        return super().answer(asked)

    def take_uploads(self) -> None:
        """Add new artifacts, each as the artifact of a run in the portal's repository."""
        for workflow, name, file in artifacts(self._spool):
            if file not in self._added:
                self._added.add(file)
                now, path = dt.datetime.now(dt.UTC), f".github/workflows/{workflow}"
                keep_upload(self, path, name, file.read_bytes(), now)

    def uploaded(self) -> set[str]:
        """Return the names of all artifacts."""
        return {one["name"] for one in self.artifacts.values()}


def make_repository(folder: Path, root: Path, *, example: bool) -> None:
    """Copy the working tree `root` into a new repository, `origin.git`, with a pull request.

    act reads the workflows from the checkout `project`. With `example`, one made-up platform
    replaces the folders `accelerators` and `data`.
    """
    origin, project = folder / "origin.git", folder / "project"
    for words in (("--bare", str(origin)), (str(project),)):
        git(folder, "init", "--quiet", "--initial-branch=main", *words)
    copy_working_tree(root, project)
    if example:
        for name in ("accelerators", "data"):
            shutil.rmtree(project / name)
        _write_example(project)
    _commit(project, "The portal")
    git(project, "push", "--quiet", str(origin), "main", "main:refs/tags/v0.1.0")
    guide = min(project.glob("accelerators/*/guide.md"))
    text = guide.read_text("utf-8").rstrip("\n")
    git(project, "checkout", "--quiet", "-b", "proposed")
    guide.write_text(f"{text}\n\nThis sentence is new in the pull request.\n", "utf-8")
    _commit(project, "Add a sentence")
    git(project, "checkout", "--quiet", "--detach", "main")
    git(project, "merge", "--quiet", "--no-ff", "-m", "Merge the pull request", "proposed")
    git(project, "push", "--quiet", str(origin), f"HEAD:refs/pull/{PULL_NUMBER}/merge")
    git(project, "checkout", "--quiet", "main")
    # act reads the repository's name from this address; nothing is fetched from it.
    git(project, "remote", "add", "origin", f"https://github.com/{HOME}")
    for file in (project / ".github/workflows").glob("*.yml"):  # act 0.2.89 doesn't support `$/`
        text = file.read_text("utf-8")
        file.write_text(text.replace("uses: $/.github/", "uses: ./.github/"), "utf-8")


def has_branch(folder: Path, branch: str) -> bool:
    """Return whether the repository in `folder` has a branch."""
    return bool(git(folder / "origin.git", "branch", "--list", branch))


def git(place: Path, *words: str) -> str:
    """Run git in a folder; return its output."""
    command = ["git", "-C", str(place), *_AUTHOR, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _commit(project: Path, message: str) -> None:
    git(project, "add", "--all", "--force")
    git(project, "commit", "--quiet", "--no-verify", "-m", message)


def _write_example(folder: Path) -> None:
    """Write the tests' portal: one platform with two nights without failures."""
    criteria = (REPOSITORY / _CRITERIA).read_text("utf-8")
    write_tree(folder, {**portal(), **RELAY, _CRITERIA: criteria})
    now = dt.datetime.now(dt.UTC)
    for days in (2, 1):
        night = report(
            {"good": "passed"},
            started=now - dt.timedelta(days=days),
            finished=None,
            trigger={"kind": "nightly", "commit": f"{days:040x}"},
        )
        add_reports(folder, [(Path("night.json"), night)])
