"""`make act` knows each job of each workflow: it runs it, or says why it does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from accelerator_automation.upstream.workflow_artifacts import PLAN_FILE
from tests.folders import REPOSITORY, write_tree
from tests.test_workflows import FILES, FOLDER, workflow
from tools.act.__main__ import result_line, select_scenarios
from tools.act.command import (
    ACTIONS,
    HERE,
    ActCall,
    act_command,
    offline_variables,
    used_actions,
    without_make_variables,
)
from tools.act.github import SpoolDouble
from tools.act.scenarios import NOT_RUN, SCENARIOS
from tools.act.session import NotSeenError, Outcome, Session
from tools.act.spool import Spool

RUN = {(one.workflow, job) for one in SCENARIOS for job in one.jobs}


@pytest.mark.parametrize("name", FILES)
def test_each_job_runs_or_has_a_reason(name: str) -> None:
    jobs = {(name, job) for job in workflow(name)["jobs"]}
    assert jobs == {one for one in RUN | NOT_RUN.keys() if one[0] == name}
    assert not RUN & NOT_RUN.keys()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_a_scenario_s_event_starts_its_workflow(scenario: object) -> None:
    assert scenario in SCENARIOS
    found = next(one for one in SCENARIOS if one is scenario)
    assert found.event in workflow(found.workflow)["on"]


def test_an_event_that_was_not_sent_fails_its_scenario(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add("upstream-event.yml", PLAN_FILE, write_tree(tmp_path / "plan", {"plan.json": "{}"}))
    here = Session(tmp_path, "act", SpoolDouble(spool), spool)
    here.double.take_uploads()
    for scenario in select_scenarios(SCENARIOS, {"upstream-event.yml"}):
        if scenario.event != "schedule":
            with pytest.raises(NotSeenError, match="sent"):
                scenario.check(here)


def test_scenarios_have_names_of_their_own() -> None:
    assert len({one.name for one in SCENARIOS}) == len(SCENARIOS)


def test_the_documentation_has_each_workflow() -> None:
    text = (REPOSITORY / "docs/development.md").read_text("utf-8")
    table = text.partition("## Run the workflows with act")[2]
    assert re.findall(r"^\| `([\w-]+\.yml)` \|", table, re.MULTILINE) == FILES


def test_something_stands_for_each_action_and_takes_its_options() -> None:
    found = used_actions(FOLDER.glob("*.yml"))
    assert {name.partition("@")[0] for name in found} == ACTIONS.keys()
    for name in FILES:
        for job in workflow(name)["jobs"].values():
            for step in job.get("steps", ()):
                if "uses" in step:
                    action = Path(found[step["uses"]], "action.yml").read_text("utf-8")
                    assert set(step.get("with", {})) <= yaml.safe_load(action)["inputs"].keys()


def test_an_action_that_nothing_stands_for_is_an_error(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.yml": f"steps:\n  - uses: actions/unknown@{'a' * 40} # v1\n"})
    with pytest.raises(KeyError, match="actions/unknown"):
        used_actions(tmp_path.glob("*.yml"))


def test_no_secret_stands_on_the_command_line(tmp_path: Path) -> None:
    call = ActCall(tmp_path, "a.yml", "push", tmp_path / "event", secrets={"KEY": "hidden"})
    command = act_command("act", call)
    assert command[command.index("--secret") + 1] == "KEY"
    assert "hidden" not in " ".join(command)


def test_jobs_that_need_no_network_reach_this_machine_alone() -> None:
    found = offline_variables()
    assert {found[name] for name in found if name.lower().endswith("_proxy")} == {
        "http://127.0.0.1:9",
        "127.0.0.1,localhost",
    }
    assert [one.workflow for one in SCENARIOS if one.online] == [
        "pull-request.yml",
        "checks.yml",
        "checks.yml",
    ]


def test_a_job_s_make_gets_no_arguments_of_make_act() -> None:
    given = {"ARGS": "pages.yml", "MAKEFLAGS": " -- ARGS=pages.yml", "LANG": "C"}
    assert without_make_variables(given) == {"LANG": "C"}


def test_the_named_workflows_are_run_in_their_order() -> None:
    found = [
        one.workflow for one in select_scenarios(SCENARIOS, {"upstream-answer.yml", "pages.yml"})
    ]
    assert found == ["upstream-answer.yml", "pages.yml"]


def test_a_line_says_what_ran_and_what_came_of_it() -> None:
    (pages,) = select_scenarios(SCENARIOS, {"pages.yml"})
    assert result_line(pages, Outcome(ok=True, seconds=3, words="the site was uploaded")) == (
        "passed   pages.yml build, deploy, record (push, 3 s): the site was uploaded"
    )
    assert result_line(pages, Outcome(ok=False, seconds=3, words="")).startswith(
        "FAILED   pages.yml "
    )


def test_the_stand_ins_are_all_used() -> None:
    assert {folder.name for folder in (HERE / "actions").iterdir()} == set(ACTIONS.values())
