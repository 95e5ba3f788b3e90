"""The rules as a whole."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal import checks
from accelerator_portal.catalog import Catalog
from tests.folders import REPOSITORY


def test_every_module_is_a_rule_that_runs_and_has_its_own_tests() -> None:
    modules = {file.stem for file in Path(checks.__file__).parent.glob("[a-z]*.py")}
    assert {rule.__module__.rpartition(".")[2] for rule in checks.RULES} == modules
    tested = {file.stem.removeprefix("test_") for file in Path(__file__).parent.glob("test_*.py")}
    assert modules <= tested


def test_the_rules_are_silent_on_this_repository(catalog: Catalog) -> None:
    assert REPOSITORY.is_dir()
    assert list(checks.run_checks(catalog)) == []
