"""No step holds up another."""

from __future__ import annotations

import pytest

from accelerator_automation.archive_store import ArchiveError
from accelerator_automation.building import EngineError
from accelerator_automation.github.api import GitHubError
from accelerator_automation.night_steps import StepFailed, StepResult, run_steps
from accelerator_portal.http import Traffic, current_traffic
from accelerator_reports.files.problem import Problem, ProblemsError

PROBLEM = Problem("a.yaml", 1, "wrong", "mend it")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StepFailed("an index did not respond"), "an index did not respond"),
        (ArchiveError("no archive"), "no archive"),
        (GitHubError("no answer"), "no answer"),
        (EngineError(1, "one\ntwo\nthree\nfour\n"), "two / three / four"),
        (ProblemsError([PROBLEM]), "a.yaml:1: wrong; mend it"),
        (
            EngineError(1, "INFO - x\nError: Problems found: 1\na.yaml:1: wrong; correct it\n"),
            "Error: Problems found: 1 / a.yaml:1: wrong; correct it",
        ),
        (
            OSError(28, "No space left on device", "data/x.json"),
            (
                "data/x.json cannot be read or written: No space left on device."
                " Check the path, its permissions and the free space"
            ),
        ),
        (OSError(111, "Connection refused"), "Connection refused. Try again"),
    ],
)
def test_a_step_that_fails_holds_up_no_other(error: Exception, words: str) -> None:
    def failing() -> str:
        raise error

    told: list[StepResult] = []
    done = run_steps([("a", lambda: "1 new"), ("b", failing), ("c", lambda: "built")], told.append)
    assert done == (
        StepResult("a", "1 new"),
        StepResult("b", words, failed=True),
        StepResult("c", "built"),
    )
    assert tuple(told) == done


def test_a_fault_of_the_portals_own_fails_its_step_and_says_where() -> None:
    def faulty() -> str:
        raise KeyError("x")

    found, after = run_steps([("a", faulty), ("b", lambda: "built")], lambda _: None)
    assert found.failed
    assert found.words.startswith(f'  File "{__file__}", line ')
    assert found.words.endswith(" / KeyError: 'x'")
    assert not after.failed


def test_an_interruption_ends_all_steps() -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    told: list[StepResult] = []
    with pytest.raises(KeyboardInterrupt):
        run_steps([("a", lambda: ""), ("b", interrupted), ("c", lambda: "")], told.append)
    assert told == [StepResult("a", "")]


def test_each_step_counts_its_own_time_and_network() -> None:
    def asking(requests: int) -> str:
        current_traffic().add(Traffic(requests=requests))
        return "asked"

    first, second = run_steps([("a", lambda: asking(2)), ("b", lambda: asking(3))], lambda _: None)
    assert (first.traffic.requests, second.traffic.requests) == (2, 3)
    assert 0 <= first.seconds < 60
