"""Who tests a change, and what each platform is sent."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accelerator_automation.upstream.planning import (
    DispatchPlan,
    client_payload,
    job_matrix,
    plan_tests,
)
from tests.automation.upstream.scene import (
    BASE,
    DELIVERY,
    HEAD,
    NUMBER,
    RUNNER,
    SECTION,
    change,
    entry,
    portal,
    portal_of,
)
from tests.folders import Tree, loaded

LABELLED = SECTION.replace("  tasks:", '  labels: ["module: Ex"]\n  tasks:')
ONLY_PULLS = SECTION.replace("[pull-request, push, daily]", "[pull-request]")


def reasons(found: DispatchPlan) -> dict[str, str]:
    return dict(found.passed_over)


def test_who_has_the_section_takes_part_as_it_says(tree: Tree) -> None:
    found = plan_tests(loaded(tree(portal())), change())
    (one,) = found.entries
    assert (one.accelerator, one.tasks, one.hours, one.run.start_method) == (
        "example",
        ("unit", "models"),
        4,
        "dispatch",
    )
    assert DispatchPlan.model_validate_json(found.model_dump_json()) == found


def test_who_has_none_is_not_asked(tree: Tree) -> None:
    found = plan_tests(loaded(tree(portal(""))), change())
    assert (found.entries, found.passed_over) == ((), {})


@pytest.mark.parametrize(
    ("section", "changed", "reason"),
    [
        (ONLY_PULLS, {"occasion": "push", "number": None}, "does not test the event push"),
        (SECTION, {"occasion": "weekly", "number": None}, "does not test the event weekly"),
        (SECTION, {"action": "closed"}, "the pull request is closed"),
        (LABELLED, {}, "the pull request has none of the platform's labels"),
        (
            LABELLED,
            {"labels": ("module: cuda",)},
            "the pull request has none of the platform's labels",
        ),
        (
            SECTION,
            {"action": "labeled", "added": "x", "labels": ("x",)},
            "the new label is not one of the platform's labels",
        ),
        (SECTION, {"only": "other"}, "only other is tested again"),
        (SECTION, {"approval": None, "objection": "nobody did"}, "nobody did"),
        (SECTION, {"approval": None}, "this commit is not approved"),
    ],
)
def test_who_does_not_ask_for_it_is_passed_over_with_the_reason(
    tree: Tree, section: str, changed: dict[str, object], reason: str
) -> None:
    found = plan_tests(loaded(tree(portal(section))), change(**changed))
    assert (found.entries, reasons(found)) == ((), {"example": reason})


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": ("module: ex",)},
        {"labels": ("other", "MODULE: EX"), "action": "labeled", "added": "Module: ex"},
    ],
)
def test_a_label_asks_whatever_its_case(tree: Tree, changed: dict[str, object]) -> None:
    assert plan_tests(loaded(tree(portal(LABELLED))), change(**changed)).entries


def test_a_vendor_may_test_everybodys_code_by_a_choice_of_its_own(tree: Tree) -> None:
    everybody = SECTION.replace("  tasks:", "  authors: anyone\n  tasks:")
    found = plan_tests(loaded(tree(portal(everybody))), change(approval=None))
    assert [one.accelerator for one in found.entries] == ["example"]


def test_a_commit_of_main_needs_no_approval(tree: Tree) -> None:
    pushed = change(occasion="push", number=None, action=None, approval=None)
    found = plan_tests(loaded(tree(portal())), pushed)
    assert [one.accelerator for one in found.entries] == ["example"]


def test_several_platforms_take_part_in_the_order_of_their_names(tree: Tree) -> None:
    root = tree(portal_of(("own", SECTION), ("other", SECTION)))
    found = plan_tests(loaded(root), change())
    assert [one.accelerator for one in found.entries] == ["other", "own"]


def test_the_matrix_has_a_job_for_each_task() -> None:
    assert job_matrix(entry(run=RUNNER, tasks=("build", "unit", "models"))) == {
        "include": [
            {"task": "build", "suites": "integration"},
            {"task": "unit", "suites": "operators"},
            {"task": "models", "suites": "models"},
        ]
    }


IDENTIFIERS = {"delivery_id": DELIVERY, "accelerator": "example", "sha": HEAD}


def test_a_vendor_is_sent_what_older_dispatchers_send_too() -> None:
    assert client_payload(change(labels=("x",)), entry()) == {
        "schema_version": 1,
        "event_type": "pull-request",
        "delivery_id": DELIVERY,
        "accelerator": "example",
        "tasks": ["unit", "models"],
        "repository": "pytorch/pytorch",
        "sha": HEAD,
        "run_name": f"{DELIVERY}/example",
        "artifact": "accelerator-report",
        "pull_request": {
            "number": NUMBER,
            "title": "A title",
            "head": {"sha": HEAD},
            "base": {"sha": BASE},
            "labels": [{"name": "x"}],
        },
    }


def test_without_a_pull_request_there_is_none() -> None:
    found = client_payload(change(occasion="daily", number=None), entry())
    assert "pull_request" not in found


@example("\U0001f600" * 1000, ["\U0001f600" * 1000] * 100)  # twelve bytes of JSON each
@given(
    st.text(st.characters(codec="utf-8"), max_size=1000),
    st.lists(st.text(max_size=1000), max_size=100),
)
def test_texts_are_cut_and_identifiers_never(title: str, labels: list[str]) -> None:
    found = client_payload(change(title=title, labels=tuple(labels)), entry())
    assert len(json.dumps(found)) <= 64 * 1024
    assert len(found) <= 10
    assert {name: found[name] for name in IDENTIFIERS} == IDENTIFIERS
    pull = found["pull_request"]
    assert (pull["number"], pull["head"], pull["base"]) == (NUMBER, {"sha": HEAD}, {"sha": BASE})
