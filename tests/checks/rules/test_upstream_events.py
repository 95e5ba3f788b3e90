from __future__ import annotations

import pytest

from accelerator_portal.checks.rules.upstream import OWN_WORKFLOWS
from tests.folders import ACCELERATOR, REPOSITORY, ProblemsAfter

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
        f"{ACCELERATOR}:15: upstream_events is set, but there is no maintainer; add maintainers"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "{dispatch: {repository: example/plugin, event_type: pytorch-event}}",
            "{runner: [npu], workflow: foo.yml}",
            (
                "21: upstream_events.run: a run needs exactly one way to start it; "
                "use one of: runner, workflow, dispatch, redispatch"
            ),
        ),
        (
            "[pull-request, daily]",
            "[daily]",
            "17: upstream_events: labels need the event pull-request; add pull-request to events",
        ),
        (
            "event_type: pytorch-event",
            "event_type: 'a b'",
            (
                '21: upstream_events.run.dispatch.event_type: "a b" is not a valid event type; '
                "use up to 100 letters, digits and . _ -"
            ),
        ),
        (
            "{dispatch: {repository: example/plugin, event_type: pytorch-event}}",
            "{runner: ['$(x)']}",
            (
                '21: upstream_events.run.runner[1]: "$(x)" is not a valid runner label; '
                "use letters, digits and . _ -"
            ),
        ),
        (
            "{dispatch: {repository: example/plugin, event_type: pytorch-event}}",
            "{workflow: ../x.yml}",
            (
                '21: upstream_events.run.workflow: "../x.yml" is not a workflow of this '
                "repository; "
                'use its file name, like "foo.yml"'
            ),
        ),
        (
            (
                "[unit, models]\n"
                "  run: {dispatch: {repository: example/plugin, event_type: pytorch-event}}"
            ),
            "[torchbench]\n  run: {runner: [npu]}",
            (
                "17: upstream_events: the portal's workflow does not support the task torchbench; "
                "remove it, or run it in your own workflow"
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


DISPATCH = "{dispatch: {repository: example/plugin, event_type: pytorch-event}}"


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ("{workflow: pages.yml}", 'the workflow "pages.yml" does not belong to this platform'),
        ("{workflow: other.yml}", 'the workflow "other.yml" does not belong to this platform'),
        (
            "{workflow: examples.yml}",
            'the workflow "examples.yml" does not belong to this platform',
        ),
        ("{runner: [self-hosted, linux]}", "no runner label starts with the platform's ID"),
        ("{runner: [other-1, self-hosted]}", "no runner label starts with the platform's ID"),
        (
            "{dispatch: {repository: PyTorch/pytorch, event_type: x}}",
            "events cannot be sent to pytorch/pytorch",
        ),
        (
            "{redispatch: {repository: pytorch/pytorch, event_type: x}}",
            "events cannot be sent to pytorch/pytorch",
        ),
    ],
)
def test_what_is_anothers_is_refused(run: str, problem: str, problems_after: ProblemsAfter) -> None:
    (found,) = problems_after(section(ASK + FULL.replace(DISPATCH, run)))
    assert problem in found


@pytest.mark.parametrize(
    "run",
    ["{workflow: example.yml}", "{workflow: example-nightly.yml}",
     "{runner: [self-hosted, example]}", "{runner: [Example-1]}"],
)  # fmt: skip
def test_what_is_ones_own_is_fine(run: str, problems_after: ProblemsAfter) -> None:
    assert problems_after(section(ASK + FULL.replace(DISPATCH, run))) == []


@pytest.mark.parametrize("name", ["a/..", "a/.", "../a", "-/x", "a/b/c", "a/\u0431"])
def test_a_repository_is_no_path(name: str, problems_after: ProblemsAfter) -> None:
    (found,) = problems_after(section(ASK + FULL.replace("example/plugin", f"'{name}'")))
    assert ":21: upstream_events.run.dispatch.repository:" in found


def test_a_platform_cannot_take_the_name_of_a_workflow_of_the_portal() -> None:
    folder = REPOSITORY / ".github/workflows"
    assert {file.name for file in folder.glob("*.yml")} >= OWN_WORKFLOWS
    named = {file.name for file in folder.glob("*.yml")} - OWN_WORKFLOWS
    ids = {place.name for place in (REPOSITORY / "accelerators").iterdir()}
    assert all(name.removesuffix(".yml").split("-")[0] in ids for name in named)
