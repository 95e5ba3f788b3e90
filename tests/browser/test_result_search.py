"""The search over all results answers like SQL, in an address that can be shared."""

from __future__ import annotations

import gzip

import duckdb
import pandas as pd
import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.outcomes import BAD
from tests.browser.visit import OpenPage, expect
from tests.built_site import Site

FAILS = f"outcome in {tuple(sorted(BAD))}"
# A question, and what SQL asks of all results of a test in a mode.
QUESTIONS = {
    "cuda:pass cpu:fail": f"{{cuda}} and outcome = 'passed' / {{cpu}} and {FAILS}",
    "cuda:fail cpu:pass": f"{{cuda}} and {FAILS} / {{cpu}} and outcome = 'passed'",
    "xpu:none cuda:pass": "{cuda} and outcome = 'passed' / not {xpu}",
    "mps:skipped": "{mps} and outcome = 'skipped'",
    "mps:skip": "{mps} and outcome = 'skipped'",
    "status:timed-out": "outcome = 'timed-out'",
    "status:fail suite:operators": f"{FAILS} / suite = 'operators'",
    "status:unsupported-operator": "outcome = 'unsupported-operator'",
    "status:error": "outcome in ('infrastructure-error', 'test-broken')",
    "suite:operators mode:backward": "suite = 'operators' / mode = 'backward'",
    "suite:OPERATORS mode:forward cpu:unchecked": (
        "suite = 'operators' / mode = 'forward' / {cpu} and outcome = 'executed'"
    ),
    "bert": "contains(lower(name), 'bert')",
    "BERT mode:training": "contains(lower(name), 'bert') / mode = 'training'",
    "-bert suite:torchbench": "not contains(lower(name), 'bert') / suite = 'torchbench'",
    "suite:torchbench -cpu:pass": "suite = 'torchbench' / not {cpu} and outcome = 'passed'",
    "linalg -status:pass": "contains(lower(name), 'linalg') / not outcome = 'passed'",
    "conv cpu:pass -mps:pass": (
        "contains(lower(name), 'conv') / {cpu} and outcome = 'passed'"
        " / not {mps} and outcome = 'passed'"
    ),
    "suite:timm mode:inference cpu:pass": (
        "suite = 'timm' / mode = 'inference' / {cpu} and outcome = 'passed'"
    ),
    "test_autograd": "contains(lower(name), 'test_autograd')",
    "xpu:fail cuda:none": f"{{xpu}} and {FAILS} / not {{cuda}}",
}
# Of results of one basis, and of failures on one platform alone.
OF_RESULTS = {
    "basis:run cpu:fail": ("kind != 'baseline'", f"{{cpu}} and {FAILS}"),
    "basis:baseline cuda:pass": ("kind = 'baseline'", "{cuda} and outcome = 'passed'"),
    "-basis:baseline mps:none": ("kind != 'baseline'", "not {mps}"),
    "only-fails:mps": (
        "true",
        (
            f"{{mps}} and {FAILS} / not platform <> 'mps' and {FAILS}"
            " / platform <> 'mps' and outcome = 'passed'"
        ),
    ),
}


@pytest.fixture(scope="module")
def results(catalog: Catalog) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "platform": stored.report.accelerator,
                "kind": stored.report.kind,
                "suite": test.suite,
                "mode": test.parameters.get("mode", ""),
                "name": test.name,
                "outcome": test.outcome,
            }
            for stored in stored_reports(catalog)[0]
            for test in stored.report.tests
        ]
    )


def by_sql(results: pd.DataFrame, of: str, conditions: str) -> int:
    """The number of tests for which each condition holds: in one result, or with `not` in none."""

    def any_of(condition: str) -> str:
        negated, text = condition.startswith("not "), condition.removeprefix("not ")
        for platform in ("cuda", "cpu", "xpu", "mps"):
            text = text.replace(f"{{{platform}}}", f"platform = '{platform}'")
        return f"{'not ' if negated else ''}bool_or({text})"

    having = " and ".join(any_of(condition) for condition in conditions.split(" / "))
    rows = f"select suite from results where {of} group by suite, mode, name having {having}"  # noqa: S608
    with duckdb.connect() as connection:
        connection.register("results", results)
        return len(connection.execute(rows).fetchall())


@pytest.mark.parametrize(
    ("question", "of", "conditions"),
    [(q, "true", c) for q, c in QUESTIONS.items()] + [(q, *c) for q, c in OF_RESULTS.items()],
)
def test_a_question_is_answered_as_sql_answers_it(
    open_page: OpenPage, results: pd.DataFrame, question: str, of: str, conditions: str
) -> None:
    expected = by_sql(results, of, conditions)
    page = open_page("results/search/")
    page.get_by_role("searchbox", name="Question").fill(question)
    noun = "test" if expected == 1 else "tests"
    expect(page.locator(".filters-state")).to_contain_text(f"{expected:,} {noun}.")
    expect(page.locator("[data-part=found] tbody tr")).to_have_count(min(expected, 100))


def test_most_questions_have_an_answer(results: pd.DataFrame) -> None:
    """Or else equal numbers would show little."""
    counts = [by_sql(results, "true", conditions) for conditions in QUESTIONS.values()]
    assert sum(count > 0 for count in counts) >= 15
    assert len(set(counts)) >= 12


def test_the_address_has_the_question(open_page: OpenPage) -> None:
    page = open_page("results/search/?question=cpu%3Apass+bert")
    expect(page.get_by_role("searchbox", name="Question")).to_have_value("cpu:pass bert")
    first = page.locator("[data-part=found] tbody tr").first
    expect(first).to_contain_text("cpu")
    first.get_by_role("link").click()
    expect(page.locator("h1")).to_be_visible()
    page.go_back()
    expect(page.locator("[data-part=found] tbody tr").first).to_be_visible()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("cuda:good", "“cuda:good”: write one of pass, fail"),
        ("nothing:pass", "neither a platform with results"),
        ("only-fails:", "write one of"),
        ("suite:", "write one of"),
        ("suite:nothing", "write one of executorch-aten"),
        ("mode:nothing", "write one of"),
        ("only-fails:acme", "write one of"),
        ("basis:all", "write one of run, baseline"),
        ("constructor:pass", "neither a platform with results"),
        ("cpu:__proto__", "write one of"),
        ("<img src=x onerror=alert(1)>", "0 tests."),
        ("-", "tests."),
    ],
)
def test_a_question_that_cannot_be_answered_says_what_to_write(
    open_page: OpenPage, question: str, said: str
) -> None:
    page = open_page("results/search/")
    page.get_by_role("searchbox", name="Question").fill(question)
    expect(page.locator(".filters-state")).to_contain_text(said)


def test_the_search_is_small(site: Site) -> None:
    """What the first question loads: at most 50 kB."""
    files = [site.root / "api/v1/result-search.json"]
    files += site.root.glob("assets/scripts/result-search*.js")
    assert len(files) == 3
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= 50_000
