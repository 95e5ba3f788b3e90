"""Which results of a report are news, given what is known."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
import yaml

from accelerator_reports.known_issues import KnownFailure, KnownIssues, issue_matches_test
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report
from accelerator_reports.test_ids import Identity
from tests.reports.examples import report
from tests.validation_torch.unexpected import surprises

TODAY = dt.date(2026, 11, 22)
LATER = dt.date(2027, 1, 1)


def with_outcome(outcome: Outcome) -> Report:
    """Return a report of one operator."""
    parameters = {"dtype": "float32", "mode": "forward"}
    test = {"suite": "operators", "name": "add", "outcome": outcome, "reason": "broken"}
    suites = [{"name": "operators", "kind": "operator"}]
    return report({**test, "parameters": parameters}, suites=suites)


def known(test: str, expires: dt.date = LATER) -> KnownIssues:
    issue = KnownFailure(
        test=test, action="expect", reason="Known.", url="https://example.org", expires=expires
    )
    return KnownIssues(issues=(issue,))


NOTHING = KnownIssues(issues=())


def test_what_fails_and_is_not_known_is_news() -> None:
    (line,) = surprises(with_outcome("crashed"), NOTHING, TODAY)
    assert line == "operators/add?dtype=float32&mode=forward: crashed: broken"


def test_what_is_known_or_allowed_is_no_news() -> None:
    crashed = with_outcome("crashed")
    assert list(surprises(crashed, known("operators/add"), TODAY)) == []
    assert list(surprises(crashed, NOTHING, TODAY, frozenset({"crashed"}))) == []
    assert list(surprises(with_outcome("passed"), NOTHING, TODAY)) == []


def test_a_known_issue_that_passes_or_has_expired_or_matches_nothing_is_news() -> None:
    (line,) = surprises(with_outcome("passed"), known("operators/add"), TODAY)
    assert line == "operators/add: the known issue passes now"
    (line,) = surprises(with_outcome("passed"), known("operators/sub"), TODAY)
    assert line == "operators/sub: the known issue matches nothing"
    lines = list(surprises(with_outcome("failed"), known("operators/add", TODAY), TODAY))
    assert lines[0].endswith(": failed: broken")
    assert lines[1] == "operators/add: the known issue expired"


@pytest.mark.parametrize("name", ["with-fallback", "without-fallback"])
def test_the_known_issues_of_openreg_are_about_operators_that_exist(name: str) -> None:
    from torch.testing._internal.common_methods_invocations import op_db

    text = (Path(__file__).parent / "openreg" / f"{name}.yaml").read_text("utf-8")
    modes = [(("dtype", "float32"), ("mode", mode)) for mode in ("forward", "backward", "random")]
    tests = [
        Identity("operators", info.full_name, parameters) for info in op_db for parameters in modes
    ]
    for issue in KnownIssues.model_validate(yaml.safe_load(text)).issues:
        assert any(issue_matches_test(issue, test) for test in tests), issue
