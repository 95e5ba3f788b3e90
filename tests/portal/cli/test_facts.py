from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.folders import ACCELERATOR, EXAMPLE, FAQ, Tree, edited


def run(root: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["facts", "--root", str(root), *options])


def facts(output: str) -> list[str]:
    return [line for line in output.splitlines() if line and not line.startswith("    ")]


def test_every_fact_stands_with_its_place_and_its_source(tree: Tree) -> None:
    done = run(tree(EXAMPLE))
    assert done.exit_code == 0
    assert f"{ACCELERATOR}:11: integration: value in-tree\n" in done.output
    assert f"{FAQ}:11: Does it exist?: No, it is example data .\n" in done.output
    read = "    Example data, made up for the tests, read 2026-01-02"
    own = done.output.count(f"{read} (vendor's document): https://example.org/made-up\n")
    shared = done.output.count(f"{read} (third-party document): https://example.org/made-up\n")
    assert own > shared > 0
    assert own + shared == len(facts(done.output))


def test_facts_can_be_read_by_programs(tree: Tree) -> None:
    root = tree(EXAMPLE)
    found = json.loads(run(root, "--json").stdout)
    assert [f"{f['path']}:{f['line']}: {f['text']}" for f in found] == facts(run(root).stdout)
    source = {"title": "Example data, made up for the tests", "read": "2026-01-02"}
    address = {"url": "https://example.org/made-up", "run_here": False, "trust": "vendor"}
    assert source | address in [one for fact in found for one in fact["sources"]]
    assert len(json.loads(run(root, "--json", "--stale", "0").stdout)) == len(found)


def test_a_broken_folder_is_named_instead(tree: Tree) -> None:
    done = run(tree(edited((ACCELERATOR, "mark: EX\n", ""))))
    assert done.exit_code == 1
    assert '"mark" is missing' in done.output


def test_stale_facts_stand_by_owner_the_oldest_first(tree: Tree) -> None:
    """The clock of the tests is later than any reading of the example."""
    old = edited((FAQ, "read: 2026-01-02", "read: 2025-01-02"))
    done = run(tree(old), "--stale", "30")
    assert done.exit_code == 0
    head = done.output.splitlines()
    total = len(facts(run(tree(EXAMPLE)).output))
    assert head[0] == f"{total} of {total} facts were read more than 30 days ago."
    assert head[1].startswith("example: ")
    assert head[1].endswith("the oldest read on 2025-01-02")
    assert head[2].startswith("shared data: ")
    assert head[3].startswith(f"{FAQ}:")


def test_where_nothing_is_stale_the_oldest_reading_is_named(tree: Tree) -> None:
    done = run(tree(EXAMPLE), "--stale", "100000")
    assert "0 of " in done.output
    assert "The oldest fact was read on 2026-01-02: " in done.output
