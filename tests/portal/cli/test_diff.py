from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.site.difference import Difference
from accelerator_reports.cli import main
from tests.folders import EXAMPLE, FAQ, RELEASES, write_tree


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    new = {**EXAMPLE, FAQ: EXAMPLE[FAQ].replace("No, it is", "No, that is")}
    return write_tree(tmp_path / "old", EXAMPLE), write_tree(tmp_path / "new", new)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def test_markdown(clones: tuple[Path, Path]) -> None:
    done = run(*clones)
    assert done.exit_code == 0
    assert done.stdout == (
        "Readers will see 1 change of 1 platform.\n\n### `Example` (`example`)\n\n"
        "**Guide and questions**\n\n- `Question: Does it exist?`\n\nPages were not compared.\n"
    )


def test_json_and_pages(clones: tuple[Path, Path]) -> None:
    for clone in clones:
        write_tree(clone / "site", {"a/index.html": f"<article>{clone}</article>"})
    done = run(*clones, "--format", "json")
    assert done.exit_code == 0
    difference = Difference.model_validate_json(done.stdout)
    assert [item.name for part in difference.parts for item in part.items] == [
        "Question: Does it exist?"
    ]
    assert difference.pages
    assert [item.name for item in difference.pages.items] == ["/a/"]


@pytest.mark.parametrize("path", [RELEASES, FAQ])
def test_data_of_the_base_that_cannot_be_read_is_not_compared(
    clones: tuple[Path, Path], path: str
) -> None:
    (clones[0] / path).write_text("unknown: [\n", "utf-8")
    done = run(*clones)
    assert done.exit_code == 0
    assert done.stdout.startswith("The data of the two states was not compared.\n\n`BASE cannot be")
    assert path in done.stdout


def test_data_with_errors_is_refused(clones: tuple[Path, Path]) -> None:
    (clones[1] / RELEASES).write_text("unknown: [\n", "utf-8")
    done = run(*clones)
    assert done.exit_code == 1
    assert RELEASES in done.output
    shutil.rmtree(clones[1])
    assert run(*clones).exit_code == 2
