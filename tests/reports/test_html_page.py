"""The page of a report, which CI systems show without anything else."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats.html_page import MOST_TESTS, html_text
from accelerator_reports.outcomes import OUTCOMES, UNSETTLED
from tests.reports.examples import report

HOSTILE = "</pre><script>alert(1)</script>&lt;\x1b"


class Seen(HTMLParser):
    """The tags and the text of a page, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str | None] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag and the address that it leads to."""
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_test_is_listed_if_it_failed_or_did_not_run(outcome: str) -> None:
    made = report({"name": "some_operator", "outcome": outcome, "reason": "out of luck"})
    seen = Seen(html_text(made))
    assert ("out of luck" in seen.texts) == (outcome in UNSETTLED)
    assert any(OUTCOMES[made.tests[0].outcome].words in text for text in seen.texts)


@given(st.text(min_size=1, max_size=50) | st.just(HOSTILE))
def test_words_of_a_report_stay_words(words: str) -> None:
    seen = Seen(html_text(report({"outcome": "failed", "reason": words, "log_tail": words})))
    assert words in seen.texts
    assert not {"script", "img", "iframe", "object"} & set(seen.tags)
    assert seen.links == []


def test_a_failure_comes_with_its_command_output_and_known_issue() -> None:
    issue = "https://github.com/example/example/issues/1"
    failed = {"outcome": "failed", "log_tail": "last line", "known_issue": {"url": issue}}
    seen = Seen(html_text(report({**failed, "command": "accelerator-portal validate"})))
    assert {"accelerator-portal validate", "last line", issue} <= set(seen.texts)
    assert seen.links == [issue]


def test_the_worst_of_many_tests_are_shown_and_the_others_counted() -> None:
    many = [{"name": f"t{n}", "outcome": "failed"} for n in range(MOST_TESTS + 5)]
    seen = Seen(html_text(report(*many, {"name": "worst", "outcome": "crashed"})))
    codes = seen.tags.count("code")
    assert codes == MOST_TESTS
    assert any("worst" in text for text in seen.texts)
    assert f"The first {MOST_TESTS} of {MOST_TESTS + 6} tests. The report has all of them." in (
        seen.texts
    )


def test_the_page_says_how_much_was_tried_and_where() -> None:
    suite = {"name": "made-up", "kind": "unit", "level": "quick"}
    run = "https://github.com/example/example/actions/runs/1"
    seen = Seen(html_text(report(suites=[suite], run_url=run)))
    assert "made-up, level quick" in seen.texts
    assert seen.links == [run]


def test_expectations_are_no_results() -> None:
    with pytest.raises(ProblemsError, match="a baseline is not a test run"):
        html_text(report({"outcome": "passed"}, kind="baseline"))
