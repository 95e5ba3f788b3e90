from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from accelerator_portal.cli import main
from tests.folders import ACCELERATOR, EXAMPLE, FAQ, REPOSITORY, Tree, edited


def run(root: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["facts", "--root", str(root), *options])


def facts(output: str) -> list[str]:
    return [line for line in output.splitlines() if line and not line.startswith("    ")]


def test_every_fact_stands_with_its_place_and_its_source(tree: Tree) -> None:
    done = run(tree(EXAMPLE))
    assert done.exit_code == 0
    assert f"{ACCELERATOR}:11: integration: value in-tree\n" in done.output
    assert f"{FAQ}:11: Does it exist?: No, it is example data .\n" in done.output
    source = (
        "    Example data, made up for the tests, read 2026-01-02: https://example.org/made-up\n"
    )
    assert done.output.count(source) == len(facts(done.output))


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    first, again, other = (run(REPOSITORY, "--sample", "30", "--seed", seed) for seed in "112")
    assert first.output == again.output != other.output
    drawn = facts(first.output)
    everything = facts(run(REPOSITORY).output)
    assert drawn[0] == f"30 of {len(everything)} facts, seed 1"
    assert len(drawn) == 31
    assert set(drawn[1:]) <= set(everything)


def test_a_broken_folder_is_named_instead(tree: Tree) -> None:
    done = run(tree(edited((ACCELERATOR, "mark: EX\n", ""))))
    assert done.exit_code == 1
    assert '"mark" is missing' in done.output
