"""Most rules are tested by a table: the YAML files beside this one, see `tests/problem_tables.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.folders import Tree, problems_in
from tests.problem_tables import Case, cases

TABLES = sorted(Path(__file__).parent.glob("*.yaml"))


@pytest.mark.parametrize("case", cases(*TABLES))
def test_a_rule_says_what_its_table_says(case: Case, tree: Tree) -> None:
    case.assert_said(problems_in(tree(case.files)))
