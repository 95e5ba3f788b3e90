"""The nightly command, whole, on the invented platform; nothing of the network is asked."""

from __future__ import annotations

import datetime as dt
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_automation.nightly import NightRunningError, nightly_lock
from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, copy_sources
from tests.portal.site.test_broken_folder import replace


def night(root: Path, out: Path, *options: str) -> Result:
    skipped = ["--skip", "packages", "--skip", "commands"]
    arguments = ["nightly", "--root", str(root), "--out", str(out), *skipped, *options]
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_sources(tmp_path / "repository", EXAMPLE)


def test_a_night_builds_folds_and_says_what_changed(root: Path, tmp_path: Path) -> None:
    out, archive = tmp_path / "site", tmp_path / "archive"
    started = dt.datetime.now(dt.UTC).date()
    kept = ["--archive", str(archive), "--outputs", str(tmp_path / "outputs")]
    first = night(root, out, *kept)
    assert first.exit_code == 0, first.output
    assert "history: `acme, runs: 3 new reports of 3, " in first.stdout
    assert "1 new version of folders, 0 shown in their last valid version`" in first.stdout
    assert "## Changes on the site" not in first.stdout, "there was nothing before"
    assert "history: acme, runs: 3 new reports of 3, " in first.stderr, "each step, when it is done"
    assert "history: acme" not in first.stdout
    assert (out / "index.html").is_file()
    assert (root / "data/history/acme.sha256").is_file()

    page = (out / "compute-platforms/acme/index.html").read_bytes()
    before = files(archive)
    out.rename(tmp_path / ".site.previous")  # as a build that was killed while it published
    second = night(root, out, *kept)
    assert f"Restored the site in {out}: an earlier build was interrupted.\n" in second.stderr
    assert "- site: `no changes, so the existing site stays`" in second.stdout
    assert "history: `acme, runs: 0 new reports of 3, 0 changes`" in second.stdout
    archived = files(archive)
    (added,) = archived.keys() - before.keys()
    assert added.startswith("nights/")
    archived_day = added.removeprefix("nights/")[:10]
    assert {path: archived[path] for path in before} == before

    replace(root / "accelerators/acme/guide.md", "## Help", "## Halp")
    third = night(root, out, *kept)
    assert third.exit_code == 0, third.output
    assert "\n## Changes on the site\n" in third.stdout
    since = re.search(
        "## Quarantined\n\n- `acme`, shown in its last valid version, from before (.*): `acc",
        third.stdout,
    )
    assert since
    assert started <= dt.date.fromisoformat(since[1]) <= dt.datetime.now(dt.UTC).date()
    after = (out / "compute-platforms/acme/index.html").read_text("utf-8")
    assert after.replace(" ", "") != page.decode().replace(" ", "")
    assert "This page shows an older version." in after
    operations = (out / "contribute/operations/index.html").read_text("utf-8")
    days = {archived_day, started.isoformat()}
    assert sum(map(operations.count, days)) >= 2, "the first and the second night"
    written = (tmp_path / "outputs").read_text("utf-8")
    assert written == "published=true\npublished=false\npublished=true\n"


def test_a_second_night_says_so_and_changes_nothing(root: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "site", tmp_path / "other"
    busy = "another nightly job is running here. Wait until it ends\n"
    with nightly_lock(root, out):
        for there, where in ((other, root), (out, root)):
            done = night(root, there)
            assert (done.exit_code, done.stderr) == (1, f"Error: {where}: {busy}")
        with pytest.raises(NightRunningError, match=f"^{out}: "), nightly_lock(other, out):
            pass
    assert not (root / "data/history").exists()
    assert not out.exists()
    with nightly_lock(root, out):
        pass
    assert not (tmp_path / ".site.lock").exists()


def test_a_killed_night_holds_nothing(root: Path, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path;"
        "from accelerator_automation.nightly import nightly_lock;"
        "lock = nightly_lock(Path(sys.argv[1]), Path(sys.argv[2])); lock.__enter__();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    out = tmp_path / "site"
    command = [sys.executable, "-c", program, str(root), str(out)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    with nightly_lock(root, out):
        pass


def files(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_an_archive_of_an_unknown_kind_is_refused(root: Path, tmp_path: Path) -> None:
    unknown = night(root, tmp_path / "site", "--archive", "nonsense://x")
    assert unknown.exit_code == 1
    assert unknown.stderr.startswith('Error: "nonsense://x" is not a valid archive location: ')


def test_issues_need_a_token(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GH_TOKEN", raising=False)
    failed = night(root, tmp_path / "site", "--issues", "example/portal")
    assert failed.exit_code == 1
    assert failed.stderr == "Error: GH_TOKEN is empty. Set it to a GitHub token\n"


def test_a_step_that_fails_fails_the_night_at_its_end(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    options = ["--archive", str(tmp_path / "file"), "--outputs", str(tmp_path / "outputs")]
    failed = night(root, tmp_path / "site", *options)
    assert failed.exit_code == 1
    assert "- **failed** archive: `the archive " in failed.stdout
    assert (tmp_path / "outputs").read_text("utf-8") == "published=false\n"
