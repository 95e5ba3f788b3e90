from __future__ import annotations

from accelerator_portal.checks.rules.facts import OWN_WORKFLOWS
from tests.folders import REPOSITORY


def test_a_platform_cannot_take_the_name_of_a_workflow_of_the_portal() -> None:
    folder = REPOSITORY / ".github/workflows"
    assert {file.name for file in folder.glob("*.yml")} >= OWN_WORKFLOWS
    named = {file.name for file in folder.glob("*.yml")} - OWN_WORKFLOWS
    ids = {place.name for place in (REPOSITORY / "accelerators").iterdir()}
    assert all(name.removesuffix(".yml").split("-")[0] in ids for name in named)
