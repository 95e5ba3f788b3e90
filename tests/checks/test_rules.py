"""The rules as a whole."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal import checks
from accelerator_portal.catalog import Catalog
from accelerator_portal.checks import rules
from tests.folders import REPOSITORY


def test_every_module_is_a_rule_that_runs_and_has_its_own_tests() -> None:
    modules = {file.stem for file in Path(rules.__file__).parent.glob("[a-z]*.py")}
    assert {rule.id.replace("-", "_") for rule in checks.RULES} == modules
    folder = Path(__file__).parent / "rules"
    assert {file.stem.removeprefix("test_") for file in folder.glob("test_*.py")} == modules


def test_every_rule_says_in_words_what_it_asks_for() -> None:
    for rule in checks.RULES:
        assert rule.text.endswith("."), rule.id
        assert rule.text.partition("\n")[0].endswith("."), f"{rule.id}: one sentence, one line"


def test_the_rules_stand_in_the_order_of_the_alphabet() -> None:
    ids = [rule.id for rule in checks.RULES]
    assert ids == sorted(ids)


def test_the_rules_are_silent_on_this_repository(catalog: Catalog) -> None:
    assert REPOSITORY.is_dir()
    assert list(checks.run_checks(catalog)) == []
