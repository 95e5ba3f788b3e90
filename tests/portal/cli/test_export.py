from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, copy_sources


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_sources(tmp_path_factory.mktemp("example"), EXAMPLE)


def run(root: Path, out: Path) -> Result:
    return CliRunner().invoke(main, ["export", "--root", str(root), "--out", str(out)])


@pytest.fixture(scope="module")
def exported(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A folder that contains only the export, and what the command said."""
    out = tmp_path_factory.mktemp("exported") / "out"
    return out, run(root, out)


def listed(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_it_writes_pages_data_and_assets(exported: tuple[Path, Result]) -> None:
    out, done = exported
    assert done.exit_code == 0, done.output
    found = listed(out)
    assert {"index.md", "hardware.md", "api/v1/hardware.json", "assets/scripts/portal.js"} <= found
    pages = sum(name.endswith(".md") for name in found)
    assert done.output == f"Wrote {pages} pages and {len(found) - pages} other files to {out}.\n"
    assert [entry.name for entry in out.parent.iterdir()] == ["out"]


def test_an_earlier_export_is_replaced_as_a_whole(
    root: Path, exported: tuple[Path, Result], tmp_path: Path
) -> None:
    out = Path(shutil.copytree(exported[0], tmp_path / "out"))
    (out / "old.md").write_text("old", "utf-8")
    assert run(root, out).exit_code == 0
    assert listed(out) == listed(exported[0])
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_other_files_are_not_touched(root: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    done = run(root, tmp_path)
    assert done.exit_code == 1
    assert "contains other files. Choose a folder" in done.output
    assert listed(tmp_path) == {"mine.txt"}


def test_a_broken_folder_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "root", EXAMPLE)
    (root / "accelerators/acme/guide.md").unlink()
    done = run(root, tmp_path / "out")
    assert done.exit_code == 1
    assert "accelerators/acme/guide.md:1: file not found" in done.output
    assert not (tmp_path / "out").exists()


def test_settings_without_a_repository_are_named(tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "root", EXAMPLE)
    (root / "mkdocs.yml").write_text("site_name: x\n", "utf-8")
    done = run(root, tmp_path / "out")
    assert done.exit_code == 1
    assert "mkdocs.yml has no repo_url. Add a line: repo_url: https://…" in done.output
