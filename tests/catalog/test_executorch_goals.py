from __future__ import annotations

from accelerator_portal.catalog.loader import load_catalog
from accelerator_portal.catalog.shared_files import ExecutorchGoals
from accelerator_portal.catalog.validation import validate
from accelerator_portal.catalog.yaml_file import parse_yaml
from tests.folders import REPOSITORY

GOALS = """\
sources:
  made-up: {url: "https://example.org", title: Made up, read: 2026-11-21}
goals:
  - {id: one, title: One, asked: It is asked., needs: a card, source: made-up}
  - {id: two, title: Two, asked: It is asked., source: made-up}
"""


def test_a_goal_works_somewhere() -> None:
    file, _ = parse_yaml("goals.yaml", GOALS)
    assert file
    goals, problems = validate(ExecutorchGoals, file)
    assert goals is None
    assert [str(problem) for problem in problems] == [
        "goals.yaml:5: goals[2]: there is no command and no requirement; set command, needs or both"
    ]


def test_every_goal_has_its_own_id_and_every_command_names_a_suite_that_is_there() -> None:
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog
    assert catalog.executorch_goals
    goals = catalog.executorch_goals.goals
    assert len({goal.id for goal in goals}) == len(goals)
    commands = [goal.command for goal in goals if goal.command and "--suite " in goal.command]
    asked = {command.split("--suite ")[1].split()[0] for command in commands}
    assert asked == {
        "executorch",
        "executorch-aten",
        "executorch-models",
        "executorch-operators",
    }


def test_both_milestones_are_there_and_every_part_of_the_rfc() -> None:
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog
    assert catalog.executorch_goals
    goals = catalog.executorch_goals.goals
    assert {goal.milestone for goal in goals} == {None, 1, 2}
    assert {goal.part for goal in goals} == {"goal", "axis", "metric", "output"}
    assert all(goal.command or goal.needs for goal in goals)
