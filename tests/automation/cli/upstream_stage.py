"""A portal whose upstream commands run as its workflows run them, on a double of GitHub."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_automation.upstream.run_lists import WRITING_WORKFLOWS
from accelerator_portal.results.report_intake import add_reports
from accelerator_reports.cli import main
from tests.automation.github_apps import APP_ID, AppDouble, app_double, private_key
from tests.automation.github_double import TOKEN, GitHubDouble, serve
from tests.automation.made_up import archive
from tests.automation.upstream import scene
from tests.automation.upstream.scene import (
    HOME,
    NUMBER,
    UPSTREAM,
    VENDOR,
    nested,
    packed,
    portal,
    pull_webhook,
    report,
)
from tests.folders import Tree


class Stage:
    """A portal's folder, the GitHub that it talks to, and its commands."""

    def __init__(self, root: Path, folder: Path, double: GitHubDouble) -> None:
        self.root, self.folder, self.double = root, folder, double

    def file(self, name: str) -> Path:
        """A file of the jobs."""
        return self.folder / name

    def run(self, *words: str) -> Result:
        """One command."""
        self.file("summary").write_text("", "utf-8")
        return CliRunner().invoke(main, ["upstream", *words])

    @property
    def app(self) -> AppDouble:
        """The GitHub App, which is installed wherever it is needed."""
        assert self.double.app
        return self.double.app

    @property
    def summary(self) -> str:
        """What the last command said on the run's page."""
        return self.file("summary").read_text("utf-8")

    def plan(self, event: bytes, *words: str) -> Result:
        """Plan for an event; then the workflow keeps the plan as an artifact."""
        self.file("event").write_bytes(event)
        self.file("plan.json").unlink(missing_ok=True)
        out = str(self.file("plan.json"))
        done = self.run("plan", "--root", str(self.root), "--out", out, *words)
        if self.file("plan.json").exists():
            self.keep("upstream-plan", self.file("plan.json"))
        return done

    def dispatch(self) -> Result:
        """Send; then the workflow keeps the log as an artifact."""
        self.file("sent.json").unlink(missing_ok=True)
        out = ["--out", str(self.file("sent.json"))]
        done = self.run("dispatch", "--root", str(self.root), *out)
        if self.file("sent.json").exists():
            self.keep("upstream-sent", self.file("sent.json"))
        return done

    def answer(self, *words: str) -> Result:
        """One round; then the workflow keeps the ledger as an artifact."""
        out = ["--out", str(self.file("ledger.json"))]
        done = self.run("answer", "--root", str(self.root), *out, *words)
        if self.file("ledger.json").exists():
            self.keep("upstream-ledger", self.file("ledger.json"))
        return done

    def keep(self, name: str, file: Path) -> None:
        """Keep a file as an artifact of an own run."""
        made = archive({f"{name}.json": file.read_bytes()})
        scene.keep_upload(self.double, WRITING_WORKFLOWS[name], name, made, dt.datetime.now(dt.UTC))

    def vendor_answers(self, outcomes: dict[str, str]) -> None:
        """The vendor's run ends, with a report."""
        now = dt.datetime.now(dt.UTC)
        run = scene.add_run(self.double, created_at=f"{now:%Y-%m-%dT%H:%M:%SZ}")
        made = report(outcomes, started=now, finished=now)
        self.double.add_artifact(VENDOR, run, "accelerator-report", packed(made))

    def answer_pull_request(self, outcomes: dict[str, str]) -> None:
        """Plan and send a pull request; then the vendor's run ends with a report."""
        self.plan(nested(pull_webhook()))
        self.dispatch()
        self.vendor_answers(outcomes)

    @property
    def comments(self) -> list[str]:
        """What stands on the pull request."""
        return [str(one["body"]) for one in self.double.comments.get((UPSTREAM, NUMBER), [])]


@pytest.fixture
def stage(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    root = tree(portal())
    for days in (2, 1):
        nightly = report(
            {"good": "passed", "bad": "failed"},
            started=dt.datetime.now(dt.UTC) - dt.timedelta(days=days),
            finished=None,
            trigger={"kind": "nightly", "commit": f"{days:040x}"},
        )
        add_reports(root, [(Path("nightly.json"), nightly)])
    with serve() as double:
        scene.populate(double)
        double.app = app_double()
        double.app.install("vendor", contents="write", actions="read")
        double.app.install("pytorch", pull_requests="write", checks="write")
        double.app.install("example", actions="read")
        for variable in ("GH_TOKEN", "PORTAL_TOKEN"):
            monkeypatch.setenv(variable, TOKEN)
        monkeypatch.setenv("UPSTREAM_APP_ID", APP_ID)
        monkeypatch.setenv("UPSTREAM_APP_KEY", private_key())
        monkeypatch.setenv("GITHUB_API_URL", double.home)
        monkeypatch.setenv("GITHUB_REPOSITORY", HOME)
        monkeypatch.setenv("GITHUB_RUN_ID", "500")
        for variable, name in (("GITHUB_EVENT_PATH", "event"), ("GITHUB_STEP_SUMMARY", "summary")):
            (tmp_path / name).write_text("", "utf-8")
            monkeypatch.setenv(variable, str(tmp_path / name))
        yield Stage(root, tmp_path, double)
