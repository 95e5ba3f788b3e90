"""Simulates GitHub for the jobs with the tests' double, which serves the jobs' artifacts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from accelerator_automation.upstream.change import UPSTREAM
from accelerator_portal.results.folding import fold_reports
from tests.automation.github_apps import app_double
from tests.automation.github_double import Asked, GitHubDouble
from tests.automation.github_git import GitStore
from tests.automation.upstream.scene import HOME, VENDOR, keep_upload, populate, portal, report
from tests.automation.upstream.test_check_runs import RELAY
from tests.folders import REPOSITORY, write_tree
from tools.act.spool import Spool

CRITERIA = "data/criteria.yaml"


class SpoolDouble(GitHubDouble):
    """The double, which adds new artifacts of the spool before each response."""

    def __init__(self, spool: Spool) -> None:
        super().__init__()
        self._spool = spool
        self._added: set[Path] = set()

    def answer(self, asked: Asked) -> tuple[int, Mapping[str, str], bytes]:
        """Return the status, headers and body of the response to a request."""
        self.take_uploads()
        return super().answer(asked)

    def take_uploads(self) -> None:
        """Add the spool's new artifacts, each as the artifact of a run in this repository."""
        for workflow, name, file in self._spool.all():
            if file not in self._added:
                self._added.add(file)
                now, path = dt.datetime.now(dt.UTC), f".github/workflows/{workflow}"
                keep_upload(self, path, name, file.read_bytes(), now)


def fill_double(double: GitHubDouble, main: Mapping[str, str]) -> None:
    """Add PyTorch's and a vendor's repository, the App and the portal's repository to the double.

    `main` has the files of the portal's branch main.
    """
    populate(double)
    git = double.git[HOME] = GitStore()
    git.push("main", main, "act@example.org")
    double.records[f"repos/{UPSTREAM}/commits/main"] = {"sha": "e" * 40}
    double.app = app_double()
    double.app.install("pytorch", pull_requests="write", checks="write")
    owner, _, name = VENDOR.partition("/")
    double.app.install(owner, name, contents="write", actions="read")


def example_files(folder: Path) -> dict[str, bytes]:
    """Return the files of the tests' portal: one platform with two nights without failures.

    The keys are paths below the repository. The files are also written to `folder`.
    """
    criteria = (REPOSITORY / CRITERIA).read_text("utf-8")
    root = write_tree(folder, {**portal(), **RELAY, CRITERIA: criteria})
    now = dt.datetime.now(dt.UTC)
    for days in (2, 1):
        night = report(
            {"good": "passed"},
            started=now - dt.timedelta(days=days),
            finished=None,
            trigger={"kind": "nightly", "commit": f"{days:040x}"},
        )
        fold_reports(root, [(Path("night.json"), night)])
    files = (file for file in root.rglob("*") if file.is_file())
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}
