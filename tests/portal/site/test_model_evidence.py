"""What reports say of families of models: runs and baselines apart, the newest of each suite."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog.files.shared_files import ModelFamily
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.pages.models import FamilyResults, model_evidence
from accelerator_reports.outcomes import OUTCOMES, Outcome
from tests.portal.results.made_up import stored_example

ALPHA = ModelFamily(id="alpha", title="Alpha", names=("*/alpha*",))
BETA = ModelFamily(id="beta", title="Beta", names=("*/*beta*",))
SUITES = [{"name": "models", "kind": "model"}, {"name": "more", "kind": "model"}]


def model(
    name: str, outcome: str = "passed", suite: str = "models", **parameters: str
) -> dict[str, Any]:
    return {"suite": suite, "name": name, "outcome": outcome, "parameters": parameters}


def stored(name: str, *tests: dict[str, Any], **changes: Any) -> StoredReport:  # noqa: ANN401
    return stored_example(name, *tests, **{"suites": SUITES, **changes})


def only(*reports: StoredReport) -> FamilyResults:
    """The results of the family Alpha, which are of one platform and one kind."""
    ((results,),) = model_evidence([ALPHA], reports)["alpha"].values()
    return results


def test_the_tests_of_a_family_are_counted() -> None:
    found = only(
        stored(
            "one",
            model("alpha-1"),
            model("alpha-2", "failed"),
            model("alpha-3", "skipped"),
            model("other", "crashed"),
        )
    )
    assert (found.passed, found.checked, len(found.tests)) == (1, 2, 3)
    assert found.outcomes == {"failed": 1, "skipped": 1, "passed": 1}
    assert found.worst == "failed"
    assert found.reports[0].day == dt.date(2026, 1, 2)


def test_an_outcome_that_says_nothing_of_the_product_is_worst_only_alone() -> None:
    assert only(stored("one", model("alpha"), model("alpha-2", "not-run"))).worst == "passed"
    assert only(stored("one", model("alpha", "executed"))).worst == "executed"


def test_a_mode_has_a_mark_of_its_own_and_the_whole_has_the_worst() -> None:
    training = model("alpha", "failed", mode="training")
    both = only(stored("one", training, model("alpha", mode="inference")))
    assert both.worst == "failed"
    assert both.of_mode("inference").worst == "passed"
    assert both.of_mode("training").worst == "failed"


@given(st.lists(st.tuples(st.sampled_from([*OUTCOMES]), st.sampled_from(["", "training"]))))
def test_a_pass_is_shown_only_where_everything_that_counted_passed(
    outcomes: list[tuple[Outcome, str]],
) -> None:
    tests = [model(f"alpha-{n}", outcome, mode=mode) for n, (outcome, mode) in enumerate(outcomes)]
    for results in (only(stored("one", *tests)),) if tests else ():
        for marked in (results, *map(results.of_mode, {result.mode for result in results.tests})):
            assert (marked.worst == "passed") == (0 < marked.passed == marked.checked)


def test_a_run_and_a_baseline_are_two_counts_and_the_run_is_first() -> None:
    expected = stored(
        "b", model("alpha", "failed"), kind="baseline", started="2026-05-01T00:00:00Z"
    )
    results = model_evidence([ALPHA], [expected, stored("a", model("alpha"))])["alpha"]["example"]
    assert [(found.basis, found.passed, found.checked) for found in results] == [
        ("runs", 1, 1),
        ("baselines", 0, 1),
    ]


def test_executorch_has_a_count_of_its_own_after_all_others() -> None:
    suites = [{"name": "executorch-models", "kind": "model"}, *SUITES]
    run = stored("run", model("alpha", "failed", suite="executorch-models"), suites=suites)
    expected = stored("expected", model("alpha"), kind="baseline")
    results = model_evidence([ALPHA], [run, expected])["alpha"]["example"]
    assert [(found.executorch, found.basis, found.worst) for found in results] == [
        (False, "baselines", "passed"),
        (True, "runs", "failed"),
    ]


def test_the_newest_report_of_a_suite_counts_whichever_stands_first() -> None:
    tests = model("alpha", "failed"), model("alpha", suite="more")
    old = stored("old", *tests, started="2026-01-01T00:00:00Z")
    new = stored("new", model("alpha"), started="2026-02-01T00:00:00Z")
    for reports in ([old, new], [new, old]):
        found = only(*reports)
        assert [(result.report, result.test.suite) for result in found.tests] == [
            ("new", "models"),
            ("old", "more"),
        ]
        assert [one.id for one in found.reports] == ["new", "old"]
        assert (found.passed, found.checked) == (2, 2)


def test_a_report_that_names_a_suite_without_a_test_of_it_hides_nothing() -> None:
    empty = stored("new", model("alpha", suite="more"), started="2026-02-01T00:00:00Z")
    found = only(stored("old", model("alpha")), empty)
    assert {one.id for one in found.reports} == {"old", "new"}


def test_suites_of_other_kinds_have_no_models() -> None:
    unit = [{"name": "models", "kind": "unit"}]
    assert model_evidence([ALPHA], [stored("one", model("alpha"), suites=unit)]) == {}


def test_a_test_may_belong_to_two_families() -> None:
    found = model_evidence([ALPHA, BETA], [stored("one", model("alphabeta"))])
    assert {family: list(of) for family, of in found.items()} == {
        "alpha": ["example"],
        "beta": ["example"],
    }
