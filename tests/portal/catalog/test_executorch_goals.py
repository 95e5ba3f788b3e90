from __future__ import annotations

from accelerator_portal.catalog import Catalog


def test_every_goal_has_its_own_id_and_every_command_names_a_suite_that_is_there(
    catalog: Catalog,
) -> None:
    assert catalog.executorch_goals
    goals = catalog.executorch_goals.goals
    assert len({goal.id for goal in goals}) == len(goals)
    commands = [goal.command for goal in goals if goal.command and "--suite " in goal.command]
    asked = {command.split("--suite ")[1].split()[0] for command in commands}
    parts = ("aten", "models", "operators")
    assert asked == {"executorch", *(f"executorch-{part}" for part in parts)}
