from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, ProblemsAfter

ASK = "maintainers:\n  - {github: somebody, source: made-up}\n"
FULL = (
    "upstream_events:\n"
    "  events: [pull-request, daily]\n"
    '  labels: ["module: example"]\n'
    "  tasks: [unit, models]\n"
    "  run: {dispatch: {repository: example/plugin, event_type: pytorch-event}}\n"
    "  hours: 4\n"
    "  source: made-up\n"
)


def section(text: str) -> tuple[str, str, str]:
    return (ACCELERATOR, "support:", f"{text}support:")


def test_a_whole_section_is_fine(problems_after: ProblemsAfter) -> None:
    assert problems_after(section(ASK + FULL)) == []


def test_without_labels_no_pull_requests_are_needed(problems_after: ProblemsAfter) -> None:
    daily = FULL.replace("[pull-request, daily]", "[daily]")
    without = "".join(line for line in daily.splitlines(keepends=True) if "labels" not in line)
    assert problems_after(section(ASK + without)) == []


def test_somebody_answers_for_what_is_said_on_a_pull_request(problems_after: ProblemsAfter) -> None:
    (problem,) = problems_after(section(FULL))
    assert problem == (
        f"{ACCELERATOR}:15: upstream_events is there, and nobody to ask is named; add maintainers"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "{dispatch: {repository: example/plugin, event_type: pytorch-event}}",
            "{runner: [npu], workflow: foo.yml}",
            (
                "21: upstream_events.run: the tests run in exactly one place; "
                "use one of: runner, workflow, dispatch, redispatch"
            ),
        ),
        (
            "[pull-request, daily]",
            "[daily]",
            "17: upstream_events: labels are those of pull requests; add pull-request to events",
        ),
        (
            "event_type: pytorch-event",
            "event_type: 'a b'",
            (
                '21: upstream_events.run.dispatch.event_type: "a b" is not the type of an event; '
                "use up to 100 letters, digits and . _ -"
            ),
        ),
        (
            "{dispatch: {repository: example/plugin, event_type: pytorch-event}}",
            "{runner: ['$(x)']}",
            (
                '21: upstream_events.run.runner[1]: "$(x)" is not a label of a runner; '
                "use letters, digits and . _ -"
            ),
        ),
        (
            "{dispatch: {repository: example/plugin, event_type: pytorch-event}}",
            "{workflow: ../x.yml}",
            (
                '21: upstream_events.run.workflow: "../x.yml" is not a workflow here; '
                'write its name, like "foo.yml"'
            ),
        ),
        (
            (
                "[unit, models]\n"
                "  run: {dispatch: {repository: example/plugin, event_type: pytorch-event}}"
            ),
            "[torchbench]\n  run: {runner: [npu]}",
            (
                "17: upstream_events: the portal's workflow has no task torchbench; "
                "leave it out, or run it in a workflow of your own"
            ),
        ),
        (
            "[unit, models]",
            "[unit, speed]",
            (
                '20: upstream_events.tasks[2]: "speed" is not known; '
                'use "build", "unit", "torchbench" or "models"'
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    problems_after: ProblemsAfter, old: str, new: str, problem: str
) -> None:
    assert FULL.count(old) == 1
    assert problems_after(section(ASK + FULL.replace(old, new))) == [f"{ACCELERATOR}:{problem}"]
