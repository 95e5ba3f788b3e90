"""What a night's summary tells."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accelerator_automation.feeds import FetchResult
from accelerator_automation.github.comments import faults
from accelerator_automation.issues import Issues
from accelerator_automation.night_steps import NightRun, StepResult, summary
from accelerator_automation.site_change_comment import MARKER
from accelerator_portal.results.evidence_level import open_breakages
from accelerator_reports.files.problem import Problem
from accelerator_reports.outcomes import Outcome
from tests.folders import EXAMPLE, Tree, loaded
from tests.portal.results.made_up import START, history_of, made_up


def night(tree: Tree, set_aside: Mapping[str, tuple[Problem, ...]], **results: Any) -> NightRun:  # noqa: ANN401 - of any field
    """What a night leaves that set these folders aside."""
    catalog = loaded(tree(EXAMPLE))
    valid = replace(catalog, set_aside=set_aside)
    return NightRun(Path(), Path(), catalog, valid_catalog=valid, **results)


def test_a_night_without_news_says_so(tree: Tree) -> None:
    steps = (StepResult("reports", "1 feed, 0 new"),)
    feeds = [FetchResult("example", "x", "unchanged")]
    assert summary(night(tree, {}, steps=steps, fetched=feeds)) == (
        "# Nightly\n\n- reports: `1 feed, 0 new`\n\nNo new reports.\n"
    )


def test_each_problem_of_a_failed_step_shows_its_fix(tree: Tree) -> None:
    problem = str(Problem("accelerators/example/results/a.json", 1, "w" * 400, "the fix"))
    step = StepResult("history", "\n".join([problem] * 22), failed=True)
    lines = summary(night(tree, {}, steps=(step,))).splitlines()[2:]
    assert lines[0] == "- **failed** history:"
    assert lines[1:21] == [f"    - `{problem}`"] * 20
    assert lines[21:] == ["    - and 2 more"]


def test_what_is_overdue_and_what_waits_is_told(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    days: list[dict[str, Outcome]] = [{"resnet18": "passed"}, {"resnet18": "crashed"}]
    history = history_of(*(made_up(day, outcomes) for day, outcomes in enumerate(days)))
    now = START + dt.timedelta(days=5, minutes=59)
    (breakage,) = open_breakages(history, now, dt.timedelta(hours=72))
    monkeypatch.setattr(NightRun, "overdue", lambda _: (("example", breakage),))
    done = night(
        tree,
        {"example": (Problem("accelerators/example/guide.md", 1, "a", "b"),)},
        steps=(StepResult("site", "built"),),
        issues=Issues(waiting=2),
        standing_in={"example": START.date()},
    )
    assert summary(done).splitlines()[4:] == [
        "## Quarantined",
        "",
        "- `example`, shown in its last valid version, from before 2026-03-01: `accelerators/example/guide.md:1: a; b`",
        "",
        "## Overdue",
        "",
        "- `Example`: `models/resnet18`, 96 hours",
        "",
        "Regressions without an issue yet: 2.",
    ]


def test_what_was_refused_and_set_aside_is_named_with_its_reason(tree: Tree) -> None:
    hostile = "`</code>\u202e<script> @somebody ![x](http://a)"
    done = night(
        tree,
        {"broken": (Problem("accelerators/broken/guide.md", 1, hostile, "mend it"),)},
        steps=(StepResult("site", "built"),),
        fetched=[
            FetchResult("example", "a", "new"),
            FetchResult("example", "b", "refused", (hostile, "more", "and more")),
            FetchResult("example", "c", "unreachable", ("it did not answer",)),
        ],
        difference="No reader will see a difference.\n",
    )
    text = summary(done)
    assert "No report is new" not in text
    assert "## New reports\n\n- `example/a`\n" in text
    assert (
        "- `example/b`: `` `</code>\\u202e<script> @somebody ![x](http://a) `` and 2 more\n" in text
    )
    assert "- `example/c`: `it did not answer`\n" in text
    assert "\n- `broken`, not shown: ``accelerators/broken/guide.md:1: `</code>" in text
    assert text.endswith("## Changes on the site\n\nNo reader will see a difference.\n")
    assert faults(f"{MARKER}\n\n{text}", MARKER) == []
