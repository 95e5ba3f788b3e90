from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.site.difference import compare, markdown, read_state
from accelerator_portal.site.difference.shapes import Item, Move
from accelerator_reports.files.problem import ProblemsError
from tests.folders import (
    ACCELERATOR,
    COMPATIBILITY,
    EXAMPLE,
    FAQ,
    GUIDE,
    INSTALL,
    RELEASES,
    REPOSITORY,
    SELECTOR,
)
from tests.portal.site.difference.two_sites import Compare, one, report, site_of

CRITERIA = {"data/criteria.yaml": (REPOSITORY / "data/criteria.yaml").read_text("utf-8")}
MAINTAINERS = "maintainers: [{github: somebody, source: made-up}]\n"
FEATURES = "features: {amp: {works: partly, note: Half., source: made-up}}\n"


def items(*found: Item) -> list[tuple[str, str, str | None, str | None]]:
    return [(item.change, item.name, item.before, item.after) for item in found]


def test_the_same_site_has_no_difference(after: Compare) -> None:
    difference = after()
    assert difference.nothing
    assert markdown(difference).startswith("No reader will see a difference.\n")


def test_a_changed_command_is_shown_once_for_all_choices_that_change_so(after: Compare) -> None:
    old, new = 'packages: ["torch=={torch}"]', 'packages: ["torch=={torch}", numpy]'
    (change,) = one(after((INSTALL, old, new))).commands
    assert (change.change, change.before[0].split("torch==")[0]) == (
        "changed",
        "python3 -m pip install ",
    )
    assert [line.split() for line in change.after] == [
        [*words[:5], "numpy", *words[5:]] for words in map(str.split, change.before)
    ]
    # Three Pythons on two architectures by pip and uv for ex2; ex1 by both on Linux, Windows and
    # for the release before.
    assert change.choices == 12 + 6 + 2 + 4
    assert change.commands > 4
    assert change.where[0] == (
        "Linux x86-64 and Linux ARM64, pip and uv, Python 3.12–3.13, 3.13t, PyTorch 1.10.0, "
        "Example 2"
    )


def test_new_and_gone_commands_name_their_choices(after: Compare) -> None:
    image = EXAMPLE[INSTALL][EXAMPLE[INSTALL].index("  - id: image") :]
    (gone,) = one(after((INSTALL, image, ""))).commands
    command = "docker run -it --rm example/torch:1.10.0-2.0"
    assert (gone.change, gone.before, gone.after) == ("gone", (command,), ())
    assert gone.where == ("Linux x86-64, Docker, any Python, PyTorch 1.10.0, Example 2",)


def test_of_a_new_command_it_is_said_what_it_needs(tmp_path: Path) -> None:
    image = EXAMPLE[INSTALL][EXAMPLE[INSTALL].index("  - id: image") :]
    noted = image.replace("source: made-up", "note: Big.\n    source: made-up")
    old = site_of(tmp_path / "a", {**EXAMPLE, INSTALL: EXAMPLE[INSTALL].replace(image, "")})
    new = site_of(tmp_path / "b", {**EXAMPLE, INSTALL: EXAMPLE[INSTALL].replace(image, noted)})
    (change,) = one(compare(read_state(old), read_state(new))).commands
    assert change.change == "added"
    assert items(*change.beside) == [("added", "note", None, "Big.")]


def test_what_stands_beside_a_command_is_told_without_the_command(after: Compare) -> None:
    (change,) = one(after((INSTALL, 'version: ">=5"', 'version: ">=6"'))).commands
    assert (change.before, change.after) == ((), ())
    assert items(*change.beside) == [
        ("changed", "needs", "Example driver >=5", "Example driver >=6")
    ]
    assert all("Windows" not in where for where in change.where)


def test_a_variant_with_another_name_is_no_other_command(after: Compare) -> None:
    found = one(after((INSTALL, "name: Example 1\n", "name: Example One\n")))
    assert found.commands == ()
    assert ("changed", "variant: ex1", "Example 1", "Example One") in items(*found.facts)


def test_version_rows(after: Compare) -> None:
    found = one(
        after(
            (COMPATIBILITY, "lifecycle: {status: ended}", "lifecycle: {status: alive}"),
            (COMPATIBILITY, '"1.10.0", variant: ex2', '"1.10.0", plugin: "3.0", variant: ex2'),
        )
    )
    assert items(*found.versions) == [
        (
            "added",
            "torch 1.10.0, plugin 3.0, variant ex2",
            None,
            "torch: 1.10.0; plugin: 3.0; variant: ex2",
        ),
        ("changed", "torch 1.9.1, variant ex1: lifecycle: status", "ended", "alive"),
        ("gone", "torch 1.10.0, variant ex2", "torch: 1.10.0; variant: ex2", None),
    ]


def test_a_row_with_a_newer_plugin_is_the_same_row(after: Compare) -> None:
    row = '{torch: "1.10.0", variant: ex2, source: made-up}'
    text = EXAMPLE[COMPATIBILITY].replace(row, row.replace("variant", 'plugin: "3.0", variant'))
    newer = text.replace('"3.0"', '"3.1"').replace("ex2, source", "ex2, note: New., source")
    found = one(after(before={**EXAMPLE, COMPATIBILITY: text}, **{COMPATIBILITY: newer}))
    assert items(*found.versions) == [
        ("changed", "torch 1.10.0, variant ex2: plugin", "3.0", "3.1"),
        ("added", "torch 1.10.0, plugin 3.1, variant ex2: note", None, "New."),
    ]


def test_facts_maintainers_and_sources(after: Compare) -> None:
    found = one(
        after(
            (ACCELERATOR, "vendor: Example Vendor", "vendor: Other"),
            (ACCELERATOR, "read: 2026-01-02", "read: 2026-01-03"),
            (ACCELERATOR, "support:\n", f"{MAINTAINERS}{FEATURES}support:\n"),
        )
    )
    assert items(*found.facts) == [
        ("changed", "sources: made-up: read", "2026-01-02", "2026-01-03"),
        ("changed", "vendor", "Example Vendor", "Other"),
        ("added", "features: amp", None, "works: partly; note: Half."),
        ("added", "maintainers: somebody", None, "github: somebody"),
    ]


def test_texts_are_named_and_not_repeated(after: Compare) -> None:
    found = one(
        after(
            (GUIDE, "## Start\n\nNothing.", "## Start\n\nSomething."),
            (FAQ, "No, it is", "No, that is"),
        )
    )
    assert items(*found.texts) == [
        ("changed", "Guide: Start", None, None),
        ("changed", "Question: Does it exist?", None, None),
    ]


def test_a_new_release_belongs_to_no_platform(after: Compare) -> None:
    release = """\
releases:
  - version: "1.11.0"
    date: 2026-06-01
    python: ["3.13"]
    wheels: [{variant: ex2, os: linux, arch: [x86_64], on: pypi}]
    source: made-up
"""
    difference = after((RELEASES, "releases:\n", release))
    newest, new = items(*difference.shared)
    assert newest == ("changed", "newest release of PyTorch", "1.10.0", "1.11.0")
    assert new[:2] == ("added", "PyTorch: 1.11.0")
    # What was stable before is not different: it is another build now.
    assert {command.change for command in one(difference).commands} == {"added"}


def test_platforms_come_and_go(tmp_path: Path) -> None:
    other = {
        path.replace("/example/", "/other/"): text.replace("name: Example\n", "name: Other\n")
        .replace("torch-example", "torch-other")
        .replace("torch_example", "torch_other")
        for path, text in EXAMPLE.items()
        if path.startswith("accelerators/")
    }
    small = site_of(tmp_path / "one", {**EXAMPLE, **CRITERIA})
    large = site_of(tmp_path / "two", {**EXAMPLE, **CRITERIA, **other})
    new, gone = (
        one(compare(read_state(a), read_state(b))) for a, b in ((small, large), (large, small))
    )
    assert (new.id, new.name, new.change, gone.change) == ("other", "Other", "added", "gone")
    assert new.commands
    assert [item.name for item in new.texts][:1] == ["Guide: Prepare"]
    assert ("added", "level", None, "none") in items(*new.evidence)


def test_reports_come_go_and_are_replaced(tmp_path: Path) -> None:
    first, second = report(0, {"a": "passed"}), report(1, {"a": "passed"})
    replaced, third = report(0, {"a": "failed"}), report(2, {"a": "passed"})
    old = site_of(tmp_path / "old", {**EXAMPLE, **first, **second})
    new = site_of(tmp_path / "new", {**EXAMPLE, **replaced, **third})
    found = one(compare(read_state(old), read_state(new)))
    assert items(*found.reports) == [
        (
            "changed",
            "example-day-0",
            "self-reported, models: 1 passed",
            "self-reported, models: 1 failed",
        ),
        ("added", "example-day-2", None, "self-reported, models: 1 passed"),
        ("gone", "example-day-1", "self-reported, models: 1 passed", None),
    ]
    assert found.moves == ()


def test_results_that_moved_come_with_failures_first(after: Compare) -> None:
    first = report(0, {"a": "failed", "b?mode=x": "passed", "b?mode=y": "passed", "old": "passed"})
    second = report(0, {"a": "passed", "b?mode=x": "crashed", "b?mode=y": "crashed", "n": "passed"})
    found = one(after(before={**EXAMPLE, **first}, **second))
    assert found.moves == (
        Move(basis="runs", suite="models", name="b", before="passed", after="crashed", settings=2),
        Move(basis="runs", suite="models", name="a", before="failed", after="passed", settings=1),
    )
    assert items(*found.reports)[1:] == [
        ("added", "tests of models, runs", None, "1"),
        ("gone", "tests of models, runs", "1", None),
    ]


def test_a_report_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    old = site_of(tmp_path / "old", {**EXAMPLE, **report(0, {"a": "passed"})})
    new = site_of(tmp_path / "new", {**EXAMPLE, **report(0, {"a": "failed"})})
    file = new / "api/v1/reports/example-day-0.json"
    file.write_text("{", "utf-8")
    with pytest.raises(ProblemsError, match=f"^{file}:1: invalid JSON"):
        compare(read_state(old), read_state(new))


def test_the_newest_report_counts(after: Compare) -> None:
    """A report of an earlier day says nothing new of a test that a later one has."""
    before = {**EXAMPLE, **report(0, {"a": "passed"}), **report(1, {"a": "passed"})}
    found = one(after(before=before, **report(0, {"a": "failed"})))
    assert found.moves == ()
    assert [item.name for item in found.reports] == ["example-day-0"]


def test_the_level_of_evidence_is_told(after: Compare) -> None:
    found = one(after(before={**EXAMPLE, **CRITERIA}, **report(0, {"a": "passed"})))
    assert ("changed", "runs", "0", "1") in items(*found.evidence)
    assert ("added", "over time: runs", None, "reports: 1, changes: 0") in items(*found.evidence)


@pytest.mark.parametrize("path", [RELEASES, SELECTOR])
def test_comments_in_files_change_nothing(after: Compare, path: str) -> None:
    assert after(**{path: EXAMPLE[path] + "# a comment\n"}).nothing
