"""`make act` knows each job of each workflow: it runs it, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from accelerator_automation.upstream.run_lists import PLAN_FILE
from tests.automation.github_double import OWN_TOKEN, Asked
from tests.automation.upstream.scene import HOME
from tests.folders import write_tree
from tests.test_workflows import FILES, FOLDER, workflow
from tools.act.github import PULL_NUMBER, ActDouble, git, has_branch, make_repository
from tools.act.run import ACTIONS, HERE, act_options, offline_variables, used_actions
from tools.act.scenarios import NOT_RUN, SCENARIOS, Scenario

RUN = {(one.workflow, job) for one in SCENARIOS for job in one.jobs}


@pytest.mark.parametrize("name", FILES)
def test_each_job_runs_or_has_a_reason(name: str) -> None:
    jobs = {(name, job) for job in workflow(name)["jobs"]}
    assert jobs == {one for one in RUN | NOT_RUN.keys() if one[0] == name}
    assert not RUN & NOT_RUN.keys()


def test_events_start_their_workflows_and_scenarios_have_names_of_their_own() -> None:
    assert all(one.event in workflow(one.workflow)["on"] for one in SCENARIOS)
    assert len({one.name for one in SCENARIOS}) == len(SCENARIOS)


def test_something_stands_for_each_action_and_takes_its_options() -> None:
    found = used_actions(FOLDER.glob("*.yml"))
    assert {name.partition("@")[0] for name in found} == ACTIONS.keys()
    assert {folder.name for folder in (HERE / "actions").iterdir()} == set(ACTIONS.values())
    for name in FILES:
        for job in workflow(name)["jobs"].values():
            for step in job.get("steps", ()):
                if "uses" in step:
                    action = Path(found[step["uses"]], "action.yml").read_text("utf-8")
                    assert set(step.get("with", {})) <= yaml.safe_load(action)["inputs"].keys()


def test_no_secret_stands_on_the_command_line(tmp_path: Path) -> None:
    options = [*act_options(SCENARIOS[0], tmp_path, tmp_path / "event", {"KEY": "hidden"}, {})]
    assert options[options.index("--secret") + 1] == "KEY"
    assert "hidden" not in " ".join(options)


def test_jobs_that_need_no_network_reach_this_machine_alone() -> None:
    found = offline_variables()
    assert {found[name] for name in found if name.lower().endswith("_proxy")} == {
        "http://127.0.0.1:9",
        "127.0.0.1,localhost",
    }
    online = {one.workflow for one in SCENARIOS if one.online}
    assert online == {"pull-request.yml", "checks.yml"}


def test_what_a_job_uploaded_is_an_artifact_of_its_workflow(tmp_path: Path) -> None:
    double = ActDouble(tmp_path)
    write_tree(tmp_path, {f"upstream-event.yml/1__{PLAN_FILE}.zip": "zip"})
    for _ in range(2):  # each is taken once
        double.answer(Asked("GET", f"repos/{HOME}/actions/artifacts", {}, None, OWN_TOKEN))
    (entry,) = double.artifacts.values()
    assert entry["name"] == PLAN_FILE
    run = double.records[f"repos/{HOME}/actions/runs/{entry['run']}"]
    assert run["path"] == ".github/workflows/upstream-event.yml"
    event: Scenario = SCENARIOS[0]
    assert not event.check(double, tmp_path), "no event was sent"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        ".github/workflows/a.yml": "jobs:\n  b:\n    uses: $/.github/workflows/c.yml\n",
        "accelerators/one/guide.md": "# One\n",
        "data/releases.yaml": "releases: []\n",
        "src/code.py": "",
    }
    root = write_tree(tmp_path / "root", files)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "first")
    return root


def test_the_repository_is_a_copy_with_a_pull_request(tmp_path: Path, root: Path) -> None:
    (root / "src/code.py").write_text("changed", "utf-8")
    before = git(root, "status", "--porcelain"), git(root, "for-each-ref")
    made, workflow_file = tmp_path / "made", ".github/workflows/a.yml"
    made.mkdir()
    make_repository(made, root, example=False)
    origin = made / "origin.git"
    assert git(origin, "show", "main:src/code.py") == "changed"  # also what is not committed
    assert (git(root, "status", "--porcelain"), git(root, "for-each-ref")) == before
    merge = f"refs/pull/{PULL_NUMBER}/merge"
    assert git(origin, "rev-parse", f"{merge}^1") == git(origin, "rev-parse", "main", "v0.1.0")[:40]
    assert git(origin, "diff", "--name-only", "main", merge) == "accelerators/one/guide.md"
    assert "uses: ./.github/" in (made / "project" / workflow_file).read_text("utf-8")
    assert "uses: $/.github/" in git(origin, "show", f"main:{workflow_file}")
    assert (has_branch(made, "main"), has_branch(made, "archive")) == (True, False)


def test_made_up_platforms_stand_for_the_real_ones(tmp_path: Path, root: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    make_repository(made, root, example=True)
    paths = git(made / "origin.git", "ls-tree", "-r", "--name-only", "main").splitlines()
    assert {path.split("/")[1] for path in paths if path.startswith("accelerators/")} == {"example"}
    assert {"src/code.py", "data/history/example.sha256"} <= set(paths)
