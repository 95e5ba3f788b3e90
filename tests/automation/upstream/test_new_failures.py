from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

import pytest

from accelerator_automation.upstream.new_failures import MOST_KEPT, ReportNews, report_news
from accelerator_portal.results.history import History
from accelerator_reports.known_issues import KnownFailure
from tests.automation.upstream.scene import NOW, report
from tests.portal.results.made_up import history_of

TODAY = NOW.date()


def base(*runs: Mapping[str, str]) -> History:
    """The history that these runs make, a day each, up to yesterday."""
    first = NOW - dt.timedelta(days=len(runs))
    made = (
        report(
            outcomes,
            started=first + dt.timedelta(days=number),
            finished=None,
            trigger={"kind": "nightly", "commit": f"{number:040x}"},
        )
        for number, outcomes in enumerate(runs)
    )
    return history_of(*made) if runs else History("example", "runs")


def counts(found: ReportNews) -> dict[str, int]:
    names = ("newly_broken", "red_already", "flaky_failing", "known", "mended", "no_base")
    return {name: value for name in names if (value := getattr(found, name))}


def issue(**changed: object) -> KnownFailure:
    return KnownFailure.model_validate(
        {
            "test": "made-up/a",
            "action": "expect",
            "reason": "why",
            "url": "https://example.org/1",
            "expires": dt.date(2027, 1, 1),
            **changed,
        }
    )


@pytest.mark.parametrize(
    ("before", "now", "what"),
    [
        (["passed", "passed"], "failed", "newly_broken"),
        (["passed", "passed"], "crashed", "newly_broken"),
        (["passed", "passed"], "wrong-result", "newly_broken"),
        (["passed"], "failed", "no_base"),
        (["failed", "passed"], "timed-out", "newly_broken"),
        (["failed"], "failed", "red_already"),
        (["passed", "failed"], "failed", "red_already"),
        (["passed", "failed"], "crashed", "red_already"),
        (["passed", "failed", "passed", "failed", "passed"], "failed", "flaky_failing"),
        (["passed", "passed", "infrastructure-error"], "failed", "newly_broken"),
        (["skipped"], "failed", "no_base"),
        ([], "failed", "no_base"),
        (["failed"], "passed", "mended"),
        (["passed"], "passed", None),
        (["passed"], "infrastructure-error", None),
        (["passed"], "test-broken", None),
        (["passed"], "skipped", None),
        (["passed"], "not-run", None),
        (["passed"], "executed", None),
    ],
)
def test_what_passed_on_the_base_and_fails_now_is_news(
    before: Sequence[str], now: str, what: str | None
) -> None:
    found = report_news(report({"a": now}), base(*({"a": one} for one in before)), (), TODAY)
    assert counts(found) == ({what: 1} if what else {})


def test_without_a_base_nothing_can_be_news() -> None:
    found = report_news(report({"a": "failed"}), History("example", "runs"), (), TODAY)
    assert (found.base, counts(found)) == (None, {"no_base": 1})


@pytest.mark.parametrize(
    ("days", "what"), [(13, "newly_broken"), (14, "no_base"), (740, "no_base")]
)
def test_a_base_that_is_too_old_is_none(days: int, what: str) -> None:
    """The newest run of the base was yesterday; `days` later it is the same run."""
    today = TODAY + dt.timedelta(days=days)
    found = report_news(report({"a": "failed"}), base(*2 * [{"a": "passed"}]), (), today)
    assert counts(found) == {what: 1}


def test_a_test_is_told_with_what_one_needs_to_mend_it() -> None:
    found = report_news(report({"a": "wrong-result"}), base(*2 * [{"a": "passed"}]), (), TODAY)
    (one,) = found.newly
    assert one.model_dump() == {
        "key": "made-up/a",
        "outcome": "wrong-result",
        "reason": "It says `why`.",
        "command": "accelerator-portal validate --device ex --test made-up/a",
        "bad": 0,
        "of": 2,
    }
    assert (found.tests, found.silent, found.base) == (1, 0, NOW - dt.timedelta(days=1))


def test_a_flaky_test_is_told_with_its_rate() -> None:
    runs = ["passed", "failed", "passed", "failed", "passed"]
    found = report_news(report({"a": "failed"}), base(*({"a": one} for one in runs)), (), TODAY)
    assert [(one.key, one.bad, one.of) for one in found.flaky] == [("made-up/a", 2, 5)]


def test_a_known_issue_is_no_news_until_its_day() -> None:
    before, now = base(*2 * [{"a": "passed"}]), report({"a": "failed"})
    assert counts(report_news(now, before, [issue()], TODAY)) == {"known": 1}
    assert counts(report_news(now, before, [issue(test="made-up/b")], TODAY)) == {"newly_broken": 1}
    assert counts(report_news(now, before, [issue(expires=TODAY)], TODAY)) == {"newly_broken": 1}


def test_lists_are_cut_and_counts_are_not() -> None:
    names = [f"t{number:04}" for number in range(1000)]
    before = base(*2 * [dict.fromkeys(names, "passed")])
    found = report_news(report(dict.fromkeys(names, "failed")), before, (), TODAY)
    assert (found.newly_broken, len(found.newly)) == (1000, MOST_KEPT)
    assert [one.key for one in found.newly[:2]] == ["made-up/t0000", "made-up/t0001"]


def test_long_texts_are_cut() -> None:
    long = report({"a": "failed"})
    test = long.tests[0].model_copy(update={"reason": "r\n" * 2000, "command": "c" * 4000})
    found = report_news(
        long.model_copy(update={"tests": (test,)}), base(*2 * [{"a": "passed"}]), (), TODAY
    )
    assert [len(text) for text in (found.newly[0].reason, found.newly[0].command)] == [201, 201]
