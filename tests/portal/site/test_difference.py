from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.site.difference import (
    MOST_CHANGES,
    MOST_LINES,
    Difference,
    PartDifference,
    ReaderChoice,
    SiteContent,
    command_changes,
    compare,
    compare_pages,
    markdown,
    page_digests,
    site_content,
)
from accelerator_reports.report_file import report_text
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
    Edit,
    edited,
    write_tree,
)
from tests.portal.results.made_up import Outcomes, made_up

CRITERIA = {"data/criteria.yaml": (REPOSITORY / "data/criteria.yaml").read_text("utf-8")}
MAINTAINERS = "maintainers: [{github: somebody, source: made-up}]\n"
FEATURES = "features: {amp: {works: partly, note: Half., source: made-up}}\n"
GOLDEN = Path(__file__).with_name("golden_difference.md")
IMAGE = EXAMPLE[INSTALL][EXAMPLE[INSTALL].index("  - id: image") :]

Files = Mapping[str, str]
Compare = Callable[..., tuple[PartDifference, ...]]
Shown = list[tuple[str, str, str | None, str | None]]


def report(day: int, outcomes: Outcomes) -> dict[str, str]:
    """The report of a day, by its path."""
    return {f"accelerators/example/results/day-{day}.json": report_text(made_up(day, outcomes))}


@pytest.fixture
def content(tmp_path: Path) -> Callable[[Files], SiteContent]:
    def read(files: Files) -> SiteContent:
        root = tmp_path / f"{len([*tmp_path.iterdir()])}"
        catalog, _ = load_catalog(write_tree(root, files))
        assert catalog
        return site_content(catalog)

    return read


@pytest.fixture
def after(content: Callable[[Files], SiteContent]) -> Compare:
    """Return what edits of a repository, and further files, make different."""

    def found(*edits: Edit, before: Files = EXAMPLE, **more: str) -> tuple[PartDifference, ...]:
        return compare(content(before), content({**edited(*edits, files=before), **more}))

    return found


def items(found: tuple[PartDifference, ...], section: str) -> Shown:
    """What the only part that is different has in a section."""
    (part,) = found
    return [(i.change, i.name, i.before, i.after) for i in part.items if i.section == section]


@pytest.mark.parametrize("path", [RELEASES, SELECTOR])
def test_a_comment_in_a_file_is_no_difference(after: Compare, path: str) -> None:
    assert after(**{path: EXAMPLE[path] + "# a comment\n"}) == ()


def test_a_changed_command_is_listed_once_for_all_choices_that_change_so(after: Compare) -> None:
    old, new = 'packages: ["torch=={torch}"]', 'packages: ["torch=={torch}", numpy]'
    ((change, where, before, now),) = items(after((INSTALL, old, new)), "commands")
    # Three Pythons on two architectures by pip and uv for ex2; ex1 by both on Linux, Windows and
    # for the release before: 12 + 6 + 2 + 4.
    assert change == "changed"
    assert where.startswith(
        "24 choices: Linux x86-64 and Linux ARM64, pip and uv, Python 3.12–3.13, 3.13t, PyTorch "
        "1.10.0, Example 2; "
    )
    assert before
    assert now == before.replace("torch==1.10.0", "torch==1.10.0 numpy")


def test_new_and_removed_commands_name_their_choices_and_notes(after: Compare) -> None:
    noted = IMAGE.replace("source: made-up", "note: Big.\n    source: made-up")
    where = "1 choice: Linux x86-64, Docker, any Python, PyTorch 1.10.0, Example 2"
    command = "docker run -it --rm example/torch:1.10.0-2.0"
    without = {**EXAMPLE, INSTALL: EXAMPLE[INSTALL].replace(IMAGE, "")}
    (removed,) = items(after((INSTALL, IMAGE, "")), "commands")
    assert removed[:2] == ("gone", where)
    assert (removed[2] or "").split("\n")[0] == command
    (new,) = items(after(before=without, **{INSTALL: without[INSTALL] + noted}), "commands")
    assert new[:2] == ("added", where)
    assert "# note: Big." in (new[3] or "").split("\n")


def test_what_stands_beside_a_command_is_compared(after: Compare) -> None:
    ((_, where, before, now),) = items(
        after((INSTALL, 'version: ">=5"', 'version: ">=6"')), "commands"
    )
    assert "# needs: Example driver >=5" in (before or "")
    assert (before or "").replace(">=5", ">=6") == now
    assert "Windows" not in where


def test_a_long_command_is_cut() -> None:
    choice = ReaderChoice("Linux x86-64", "pip", "", "1.10.0", "")
    lines = [f"line {n}" for n in range(MOST_LINES + 3)]
    (item,) = command_changes({}, {choice: "\n".join(lines)})
    assert (item.after or "").split("\n") == [*lines[:MOST_LINES], "… and 3 more lines"]


def test_a_variant_with_another_name_is_a_changed_fact(after: Compare) -> None:
    found = after((INSTALL, "name: Example 1\n", "name: Example One\n"))
    assert ("changed", "variant: ex1", "Example 1", "Example One") in items(found, "facts")


def test_a_version_row_is_named_by_release_and_variant(after: Compare) -> None:
    found = after(
        (COMPATIBILITY, "lifecycle: {status: ended}", "lifecycle: {status: alive}"),
        (COMPATIBILITY, '"1.10.0", variant: ex2', '"1.10.0", plugin: "3.0", variant: ex2'),
    )
    assert items(found, "versions") == [
        ("added", "torch 1.10.0, variant ex2: plugin", None, "3.0"),
        ("changed", "torch 1.9.1, variant ex1: lifecycle: status", "ended", "alive"),
    ]


def test_facts_maintainers_and_sources(after: Compare) -> None:
    found = after(
        (ACCELERATOR, "vendor: Example Vendor", "vendor: Other"),
        (ACCELERATOR, "read: 2026-01-02", "read: 2026-01-03"),
        (ACCELERATOR, "support:\n", f"{MAINTAINERS}{FEATURES}support:\n"),
    )
    assert items(found, "facts") == [
        ("changed", "sources: made-up: read", "2026-01-02", "2026-01-03"),
        ("changed", "vendor", "Example Vendor", "Other"),
        ("added", "features: amp", None, "works: partly; note: Half."),
        ("added", "maintainers: somebody", None, "github: somebody"),
    ]


def test_texts_are_named_and_not_repeated(after: Compare) -> None:
    found = after(
        (GUIDE, "## Start\n\nNothing.", "## Start\n\nSomething."),
        (FAQ, "No, it is", "No, that is"),
    )
    assert items(found, "texts") == [
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
    releases, example = after((RELEASES, "releases:\n", release))
    assert [(item.change, item.name) for item in releases.items] == [("added", "1.11.0")]
    # What was stable before is not different: it is another build now.
    assert {i.change for i in example.items if i.section == "commands"} == {"added"}


def test_platforms_come_and_go(content: Callable[[Files], SiteContent]) -> None:
    other = {
        path.replace("/example/", "/other/"): text.replace("name: Example\n", "name: Other\n")
        .replace("torch-example", "torch-other")
        .replace("torch_example", "torch_other")
        for path, text in EXAMPLE.items()
        if path.startswith("accelerators/")
    }
    small, large = content({**EXAMPLE, **CRITERIA}), content({**EXAMPLE, **CRITERIA, **other})
    new, gone = compare(small, large), compare(large, small)
    assert [(p.id, p.name, p.change) for p in (*new, *gone)] == [
        ("other", "Other", "added"),
        ("other", "Other", "gone"),
    ]
    assert items(new, "commands")
    assert items(new, "texts")[0][:2] == ("added", "Guide: Prepare")
    assert ("added", "level", None, "none") in items(new, "evidence")


def test_reports_come_go_and_are_replaced(after: Compare) -> None:
    first, second = report(0, {"a": "passed"}), report(1, {"a": "passed"})
    replaced, third = report(0, {"a": "failed"}), report(2, {"a": "passed"})
    found = after(before={**EXAMPLE, **first, **second}, **replaced, **third)
    passed = "self-reported, models: 1 passed"
    assert items(found, "reports") == [
        ("changed", "example-day-0", passed, "self-reported, models: 1 failed"),
        ("added", "example-day-2", None, passed),
    ]
    assert items(found, "outcomes") == [], "a later report has the test"


def test_outcomes_that_changed_come_with_failures_first(after: Compare) -> None:
    first = report(0, {"a": "failed", "b?mode=x": "passed", "b?mode=y": "passed", "old": "passed"})
    second = report(0, {"a": "passed", "b?mode=x": "crashed", "b?mode=y": "crashed", "n": "passed"})
    found = after(before={**EXAMPLE, **first}, **second)
    assert items(found, "outcomes") == [
        ("changed", "models/b", "passed", "crashed, 2 settings"),
        ("changed", "models/a", "failed", "passed"),
    ]
    assert [i.is_new_failure for i in found[0].items if i.section == "outcomes"] == [True, False]
    assert items(found, "reports")[1:] == [
        ("added", "tests of models", None, "1"),
        ("gone", "tests of models", "1", None),
    ]


def test_the_level_of_evidence_is_compared(after: Compare) -> None:
    found = after(before={**EXAMPLE, **CRITERIA}, **report(0, {"a": "passed"}))
    assert items(found, "evidence")[0] == ("changed", "level", "none", "reported")


def test_what_exceeds_the_limit_is_counted(after: Compare) -> None:
    names = [f"t{n}" for n in range(MOST_CHANGES + 5)]
    old, new = (report(0, dict.fromkeys(names, outcome)) for outcome in ("passed", "failed"))
    (part,) = after(before={**EXAMPLE, **old}, **new)
    assert (len(part.items), part.left_out) == (MOST_CHANGES, 6)


def test_two_states_of_an_invented_platform(content: Callable[[Files], SiteContent]) -> None:
    old = {**EXAMPLE, **report(0, {"a": "passed", "b": "failed"})}
    new = edited(
        (INSTALL, 'packages: ["torch=={torch}"]', 'packages: ["torch=={torch}", numpy]'),
        (INSTALL, 'version: ">=5"', 'version: ">=6"'),
        (ACCELERATOR, "vendor: Example Vendor", "vendor: '@everybody'"),
        (FAQ, "## Does it exist?", "## Does @it exist, #1?"),
        files={**old, **report(0, {"a": "crashed", "b": "passed"})},
    )
    text = markdown(Difference(parts=compare(content(old), content(new))))
    if os.environ.get("PORTAL_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


def test_pages_are_compared_by_their_own_part(tmp_path: Path) -> None:
    page = "<html><nav>{}</nav><article>{}</article></html>"
    for site, menu, words, more in (("old", "a", "1", "gone"), ("new", "b", "2", "added")):
        for address, text in (("", "same"), ("x/", words), (f"{more}/", "any")):
            write_tree(tmp_path / site, {f"{address}index.html": page.format(menu, text)})
    pages = compare_pages(page_digests(tmp_path / "old"), page_digests(tmp_path / "new"))
    assert [(item.change, item.name) for item in pages.items] == [
        ("added", "/added/"),
        ("changed", "/x/"),
        ("gone", "/gone/"),
    ]
