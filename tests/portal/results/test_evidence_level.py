from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.files.criteria_file import (
    Criteria,
    ModelRequirement,
    MustPass,
    RequiredModels,
)
from accelerator_portal.results.evidence_level import (
    MAX_LISTED_NAMES,
    QualityAssessment,
    as_of,
    as_of_reports,
    assess_quality,
    is_tested,
)
from accelerator_reports.outcomes import BAD, OUTCOMES, Outcome
from accelerator_reports.report import OPERATORS_ON_CPU
from tests.folders import REPOSITORY
from tests.reports.examples import report

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
RAN = "a run of 2026-01-02 on torch 1.10.0"


def must_pass(*names: str, **changes: Any) -> MustPass:  # noqa: ANN401 - any field
    """A made-up list of one group; it asks for float32."""
    data = {
        "suite": "operators",
        "parameters": {"dtype": "float32"},
        "meaning": "Made up.",
        "groups": [
            {
                "title": "Made up",
                "why": "Made up.",
                "source": "made-up",
                "operators": [{"name": name} for name in names],
            }
        ],
    }
    return MustPass.model_validate({**data, **changes})


def asking(catalog: Catalog, wanted: MustPass | None) -> Criteria:
    """The repository's criteria, for the made-up suite of models and these operators."""
    assert catalog.criteria
    models = ModelRequirement(
        suites=(RequiredModels(suite="made-up", fewest=1),), passed_share=0.9, meaning="Made up."
    )
    limits = catalog.criteria.tested.model_copy(update={"models": models, "must_pass": wanted})
    return catalog.criteria.model_copy(update={"tested": limits})


def operator(name: str, outcome: str = "passed", **parameters: str) -> dict[str, Any]:
    """A test of an operator, with float32 where nothing else is said."""
    parameters = {"dtype": "float32"} | parameters
    return {"suite": "operators", "name": name, "outcome": outcome, "parameters": parameters}


ON_CPU = {OPERATORS_ON_CPU: {"value": 2, "unit": "1"}}


def gaps(found: QualityAssessment) -> list[tuple[str, str]]:
    """The ids of levels that were not reached, each with a reason."""
    return [(level.id, why) for level, reasons in found.missing.items() for why in reasons]


@pytest.mark.parametrize(
    ("changes", "met", "why"),
    [
        ({}, True, "a run of 2026-01-02 on torch 1.10.0"),
        ({"environment": {"torch": "1.10.1+cpu"}}, True, "a run of 2026-01-02 on torch 1.10.1+cpu"),
        ({"environment": {"torch": "1.9.1"}}, False, "the run used torch 1.9.1, not 1.10.0"),
        ({"environment": {"torch": "main"}}, False, "the run used torch main, not 1.10.0"),
        (
            {"started": "2025-12-01T00:00:00Z"},
            False,
            "the run is 62 days old. The limit is 45 days",
        ),
        ({"kind": "baseline"}, False, "no run of a required model suite"),
        ({"tests": []}, False, "no run of a required model suite"),
    ],
)
def test_a_recent_run_on_the_same_minor_release_counts(
    changes: dict[str, Any],
    met: bool,  # noqa: FBT001 - a parameter
    why: str,
    catalog: Catalog,
) -> None:
    answer = is_tested([report(**changes)], asking(catalog, None), "1.10.0", NOW)
    assert (answer.met, answer.why) == (met, why)


NO_MM, BAD_MM = "no results for these operators: mm", "these operators did not pass: mm"
ADD, MM = operator("add"), operator("mm")
FOUND: dict[str, tuple[list[dict[str, Any]], str]] = {
    "both passed": ([ADD, MM], RAN),
    "neither was run": ([], "no results for any of the 2 required operators"),
    "one was not run": ([ADD], NO_MM),
    "one failed": ([operator("add", "failed"), MM], "these operators did not pass: add"),
    "one failed, the other was not run": (
        [operator("add", "wrong-result")],
        f"these operators did not pass: add; {NO_MM}",
    ),
    "right numbers that the CPU computed are none of the platform's": (
        [ADD, MM | {"metrics": ON_CPU}],
        "these operators fell back to the CPU: mm",
    ),
    "also if another test of the operator ran on the device": (
        [ADD, MM | {"metrics": ON_CPU}, operator("mm", mode="training")],
        "these operators fell back to the CPU: mm",
    ),
    "a skipped test is neither a pass nor a failure": ([ADD, operator("mm", "skipped")], NO_MM),
    "nor is one that only ran": ([ADD, operator("mm", "executed")], NO_MM),
    "each test of the type counts": ([ADD, MM, operator("mm", "failed", mode="training")], BAD_MM),
    "also a skipped one": ([ADD, MM, operator("mm", "skipped", mode="training")], NO_MM),
    "no test of another type": ([ADD, MM, operator("mm", "failed", dtype="float16")], RAN),
    "not even a pass": ([ADD, operator("mm", dtype="float16")], NO_MM),
    "no test of another suite": ([ADD, MM | {"suite": "made-up"}], NO_MM),
}


@pytest.mark.parametrize("case", FOUND)
def test_operators_that_did_not_pass_and_those_without_evidence_are_named_apart(
    case: str, catalog: Catalog
) -> None:
    operators, why = FOUND[case]
    criteria = asking(catalog, must_pass("add", "mm"))
    answer = is_tested([report({}, *operators)], criteria, "1.10.0", NOW)
    assert (answer.met, answer.why) == (why == RAN, why)


@pytest.mark.parametrize(
    ("more", "shown", "rest"),
    [
        (0, MAX_LISTED_NAMES, ""),
        (1, MAX_LISTED_NAMES + 1, ""),
        (2, MAX_LISTED_NAMES, " and 2 more"),
        (3, MAX_LISTED_NAMES, " and 3 more"),
    ],
)
def test_of_many_operators_some_are_named_and_the_others_counted(
    more: int, shown: int, rest: str, catalog: Catalog
) -> None:
    """One more is named as well: "and 1 more" would be as long."""
    names = [f"op{n:02}" for n in range(MAX_LISTED_NAMES + more)]
    criteria = asking(catalog, must_pass(*names, "good"))
    tests = [operator("good"), *(operator(name, "crashed") for name in names)]
    answer = is_tested([report({}, *tests)], criteria, "1.10.0", NOW)
    assert answer.why == f"these operators did not pass: {', '.join(names[:shown])}{rest}"


def test_operators_may_come_from_a_run_of_their_own_and_the_newest_counts(catalog: Catalog) -> None:
    criteria = asking(catalog, must_pass("add"))
    models = report()
    suites = [{"name": "operators", "kind": "operator"}]
    good = report(operator("add"), started="2026-01-20T00:00:00Z", suites=suites)
    bad = report(operator("add", "failed"), started="2026-01-10T00:00:00Z", suites=suites)
    for runs in ([models, good, bad], [bad, good, models]):
        assert is_tested(runs, criteria, "1.10.0", NOW).why == RAN
    worse = bad.model_copy(update={"started": NOW})
    why = "these operators did not pass: add"
    assert is_tested([models, good, worse], criteria, "1.10.0", NOW).why == why


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "baseline"},
        {"started": None},
        {"started": "2025-12-01T00:00:00Z"},
        {"environment": {"torch": "1.9.1"}},
    ],
)
def test_operators_of_a_baseline_or_of_an_old_or_other_run_are_no_evidence(
    changes: dict[str, Any], catalog: Catalog
) -> None:
    suites = [{"name": "operators", "kind": "operator"}]
    apart = report(operator("add"), **{"suites": suites, **changes})
    answer = is_tested([report(), apart], asking(catalog, must_pass("add")), "1.10.0", NOW)
    assert answer.why == "no results for any of the 1 required operators"


def test_an_operator_stands_in_one_group() -> None:
    with pytest.raises(ValueError, match="listed twice: add; list each operator in one group only"):
        must_pass("add", "mm", "add")


def test_the_repositorys_operators_are_few_and_have_sources(catalog: Catalog) -> None:
    """Dozens, not hundreds: the rest of the operators is optional."""
    assert catalog.criteria
    wanted = catalog.criteria.tested.must_pass
    assert wanted
    assert 20 <= len(wanted.names) <= 50
    assert wanted.parameters == {"dtype": "float32"}
    for group in wanted.groups:
        assert set(group.source) <= set(catalog.criteria.sources)


def test_a_level_says_what_keeps_from_the_next(catalog: Catalog) -> None:
    assert catalog.criteria
    cuda = catalog.by_id["cuda"]
    none = assess_quality(cuda, [], catalog.criteria, "2.15.0", NOW)
    assert none.level.id == "none"
    assert gaps(none) == [
        ("tested", "no run of a required model suite"),
        ("reported", "no runs"),
        ("expected", "no baseline"),
    ]
    expected = assess_quality(cuda, [report(kind="baseline")], catalog.criteria, "2.15.0", NOW)
    assert expected.level.id == "expected"
    reported = assess_quality(cuda, [report()], catalog.criteria, "2.15.0", NOW)
    assert reported.level.id == "reported"
    assert gaps(reported) == [("tested", "no run of a required model suite")]
    ran = report({"suite": "timm"}, suites=[{"name": "timm", "kind": "model"}],
                 environment={"torch": "2.15.0"})  # fmt: skip
    unproven = assess_quality(cuda, [ran], catalog.criteria, "2.15.0", NOW)
    assert gaps(unproven) == [
        (
            "tested",
            (
                "torchbench: results for 0 models; 20 are required; "
                "huggingface: results for 0 models; 20 are required; "
                "timm: results for 1 models; 10 are required; "
                "no results for any of the 48 required operators"
            ),
        )
    ]
    assert level_with(catalog, "passed") == "tested"


def level_with(catalog: Catalog, *outcomes: Outcome, share: float = 1) -> str:
    """CUDA's level, if its models end in these outcomes by turns, and its operators pass.

    With a share, only that part of the models does; the others pass.
    """
    assert catalog.criteria
    assert catalog.criteria.tested.must_pass
    tests = [*map(operator, catalog.criteria.tested.must_pass.names)]
    for required in catalog.criteria.tested.models.suites:
        for number in range(required.fewest):
            changed = number < share * required.fewest
            outcome = outcomes[number % len(outcomes)] if changed else "passed"
            tests.append({"suite": required.suite, "name": f"m{number}", "outcome": outcome})
    suites = [{"name": name, "kind": "model"} for name in {test["suite"] for test in tests}]
    run = report(*tests, suites=suites, environment={"torch": "2.15.0"})
    return assess_quality(catalog.by_id["cuda"], [run], catalog.criteria, "2.15.0", NOW).level.id


@pytest.mark.parametrize("outcome", [*OUTCOMES])
def test_no_level_is_reached_by_what_did_not_pass(outcome: Outcome, catalog: Catalog) -> None:
    """Neither by failures, nor by tests that were skipped, not run or not checked."""
    assert (level_with(catalog, outcome) == "tested") == (outcome == "passed")


@cache
def _whole_catalog() -> Catalog:
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog
    return catalog


@given(st.lists(st.sampled_from([*BAD]), min_size=1, max_size=4), st.floats(0.11, 1))
def test_more_than_one_failure_in_ten_is_too_many(outcomes: list[Outcome], share: float) -> None:
    catalog = _whole_catalog()
    assert level_with(catalog, *outcomes, share=share) == "reported"


def test_some_failures_are_accepted_and_no_wrong_result_without_a_known_issue(
    catalog: Catalog,
) -> None:
    assert level_with(catalog, "failed", share=0.1) == "tested"
    assert level_with(catalog, "wrong-result", share=0.1) == "reported"


def test_ages_are_counted_to_the_newest_date_of_the_portals_own_facts(catalog: Catalog) -> None:
    newest = as_of(catalog, [])
    later = report(started="2030-01-01T00:00:00Z", kind="made-here")
    assert as_of(catalog, [later]) == later.started
    assert newest < dt.datetime(2030, 1, 1, tzinfo=dt.UTC)


def test_no_vendor_moves_the_date_of_the_site(catalog: Catalog) -> None:
    vendors = report(started="2030-01-01T00:00:00Z")
    at = as_of(catalog, [vendors])
    assert at == as_of(catalog, [])
    assert as_of_reports(at, [vendors]) == vendors.started
    assert as_of_reports(at, [report(started="2020-01-01T00:00:00Z")]) == at
