"""The repositories that jobs check out are copies, and have what GitHub would offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.automation.github_double import OWN_TOKEN, Asked
from tests.automation.upstream.scene import HOME
from tests.folders import write_tree
from tests.tools.act.repositories import git
from tools.act.github import SpoolDouble, example_files, fill_double
from tools.act.sources import PULL_NUMBER, Source, branch_log, make_source, push_tag
from tools.act.spool import Spool

FILES = {
    ".github/workflows/a.yml": "jobs:\n  b:\n    uses: $/.github/workflows/c.yml\n",
    "accelerators/one/guide.md": "# One\n",
    "data/releases.yaml": "releases: []\n",
    "src/code.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "root", FILES)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "first")
    return root


def source(folder: Path, root: Path, replaced: dict[str, bytes] | None = None) -> Source:
    place = folder / "session"
    place.mkdir()
    return make_source(place, root, HOME, replaced or {})


def listed(made: Source, commit: str) -> list[str]:
    return git(made.origin, "ls-tree", "-r", "--name-only", commit).splitlines()


def test_what_is_not_committed_yet_runs_too_and_the_checkout_stays(
    tmp_path: Path, root: Path
) -> None:
    (root / "src/code.py").write_text("changed", "utf-8")
    before = git(root, "status", "--porcelain"), git(root, "for-each-ref")
    made = source(tmp_path, root)
    assert git(made.origin, "show", "main:src/code.py") == "changed"
    assert (git(root, "status", "--porcelain"), git(root, "for-each-ref")) == before


def test_a_pull_request_is_a_merge_commit_that_changes_one_guide(
    tmp_path: Path, root: Path
) -> None:
    made = source(tmp_path, root)
    merge = f"refs/pull/{PULL_NUMBER}/merge"
    assert git(made.origin, "rev-parse", merge, f"{merge}^1").split() == [made.merge, made.head]
    changed = git(made.origin, "diff", "--name-only", made.head, made.merge)
    assert changed == "accelerators/one/guide.md"


def test_act_reads_a_syntax_that_it_knows_and_jobs_what_is_committed(
    tmp_path: Path, root: Path
) -> None:
    made = source(tmp_path, root)
    file = ".github/workflows/a.yml"
    assert "uses: ./.github/" in (made.project / file).read_text("utf-8")
    assert "uses: $/.github/" in git(made.origin, "show", f"main:{file}")


def test_made_up_platforms_stand_for_the_real_ones(tmp_path: Path, root: Path) -> None:
    made = source(tmp_path, root, example_files(tmp_path / "example"))
    paths = listed(made, "main")
    assert "src/code.py" in paths
    assert {path.split("/")[1] for path in paths if path.startswith("accelerators/")} == {"example"}
    assert "data/history/example/runs.json" in paths


def test_tags_and_logs_are_those_of_the_origin(tmp_path: Path, root: Path) -> None:
    made = source(tmp_path, root)
    push_tag(made, "v1.0.0")
    assert git(made.origin, "rev-parse", "v1.0.0") == made.head
    assert (branch_log(made, "main"), branch_log(made, "archive")) == (["The portal"], [])


def test_what_a_job_uploaded_is_an_artifact_of_its_workflow(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    double = SpoolDouble(spool)
    fill_double(double, {})
    write_tree(tmp_path, {"plan.json": "{}"})
    spool.add("upstream-event.yml", "upstream-plan", tmp_path / "plan.json")
    for _ in range(2):  # each is taken once
        path = f"repos/{HOME}/actions/artifacts"
        double.answer(Asked("GET", path, {}, None, OWN_TOKEN))
    (entry,) = double.artifacts.values()
    assert entry["name"] == "upstream-plan"
    run = double.records[f"repos/{HOME}/actions/runs/{entry['run']}"]
    assert run["path"] == ".github/workflows/upstream-event.yml"
