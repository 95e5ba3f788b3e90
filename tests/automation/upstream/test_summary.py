from __future__ import annotations

from accelerator_automation.upstream.delivery import Delivery, SendLog
from accelerator_automation.upstream.dispatch_round import DispatchRound, SendResult
from accelerator_automation.upstream.planning import DispatchPlan
from accelerator_automation.upstream.run_search import RunResult
from accelerator_automation.upstream.summary import (
    SweepResult,
    answer_summary,
    plan_summary,
    sent_summary,
    sweep_summary,
)
from tests.automation.upstream.scene import NOW, VENDOR, asked, change, entry
from tests.automation.upstream.test_comment import answer

HOSTILE = "` ::error::x @all <b>\n# y"


def test_a_plan_is_told_with_who_is_passed_over_and_why() -> None:
    found = DispatchPlan(change=change(), entries=(entry(),), passed_over={"other": "does not ask"})
    assert plan_summary(found) == (
        "# Pull request 7 of `pytorch/pytorch` at `aaaaaaaaaaaa`\n\n"
        "- `example`: unit, models; dispatch, within 4 hours\n\n"
        "## Skipped\n\n"
        "- `other`: `does not ask`\n"
    )
    assert "No platform tests this change." in plan_summary(DispatchPlan(change=change()))


def test_what_could_not_be_sent_is_told_with_the_reason() -> None:
    sent = [
        SendResult("one", NOW, 1),
        SendResult("two", NOW, 4, HOSTILE),
    ]
    plan = Delivery(plan=1, change=change(), accelerator="example", settings=entry())
    done = DispatchRound(SendLog(deliveries=(plan,)), sent, [HOSTILE])
    assert sent_summary(done) == (
        "# Events sent to 1 of 2 platforms\n\n- **failed** `two`: `` ` ::error::x @all <b> # y ``\n"
        "- `` ` ::error::x @all <b> # y ``\n"
        "- Dispatches that wait for the next round: 1\n"
    )


def test_a_sweep_names_the_runs() -> None:
    assert sweep_summary(SweepResult((3,), (4,), (HOSTILE,))) == (
        "# Started 1 failed run again\n\n- run 3\n"
        "- **given up** run 4: it failed 3 times\n"
        "- **failed** `` ` ::error::x @all <b> # y ``\n"
    )


def test_every_state_has_its_name() -> None:
    looked = [
        RunResult(asked(), "lost", VENDOR, why="no run, 9 hours after dispatch"),
        RunResult(asked(), "running", VENDOR, 5, why="the run is in progress"),
        RunResult(asked(occasion="daily", number=None), None, VENDOR, why=HOSTILE),
    ]
    assert answer_summary(looked, [answer()], ["Something was posted."]) == (
        "# Answers\n\n"
        "- `example`, Pull request 7 of `pytorch/pytorch` at `aaaaaaaaaaaa`: **lost** "
        "`no run, 9 hours after dispatch`\n"
        "- `example`, Pull request 7 of `pytorch/pytorch` at `aaaaaaaaaaaa`: running "
        "`the run is in progress`\n"
        "- `example`, daily of `pytorch/pytorch` at `aaaaaaaaaaaa`: **not checked** "
        "`` ` ::error::x @all <b> # y ``\n\n"
        "## Compared with the base\n\n"
        "- `example`: 1 new failure, 0 already failing, 0 flaky, 0 known issues, 0 fixed, 0 without "
        "a result on the base, 0 without a usable result (6 tests); base: 2026-11-21\n\n"
        "## Comments\n\n"
        "- `Something was posted.`\n"
    )
