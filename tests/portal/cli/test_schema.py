from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.catalog.schema import schema_files
from accelerator_reports.cli import main
from tests.folders import read_tree

INSTALL = "data/schema/install.schema.json"


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["schema", "--root", str(root), *arguments])


def test_it_writes_every_schema_once(tmp_path: Path) -> None:
    first, second = run(tmp_path), run(tmp_path)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.splitlines() == [f"Wrote {path}" for path in schema_files()]
    assert second.stdout == ""
    assert read_tree(tmp_path) == schema_files()


def test_it_writes_only_what_is_stale(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / INSTALL).write_text("{}", encoding="utf-8")
    assert run(tmp_path).stdout == f"Wrote {INSTALL}\n"
    assert read_tree(tmp_path) == schema_files()


def test_check_writes_nothing_and_fails_if_one_is_stale(tmp_path: Path) -> None:
    run(tmp_path)
    current = run(tmp_path, "--check")
    assert (current.exit_code, current.output) == (0, "")
    (tmp_path / INSTALL).write_text("{}", encoding="utf-8")
    stale = run(tmp_path, "--check")
    assert stale.exit_code == 1
    assert (
        stale.stdout == f"{INSTALL}:1: the schema is out of date. Run: accelerator-portal schema\n"
    )
    assert read_tree(tmp_path)[INSTALL] == "{}"


def test_check_names_every_missing_schema(tmp_path: Path) -> None:
    result = run(tmp_path, "--check")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == len(schema_files())
    assert read_tree(tmp_path) == {}


def test_an_interruption_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    (tmp_path / INSTALL).write_text("{}", encoding="utf-8")

    def half(file: Path, data: bytes) -> int:
        with file.open("wb") as opened:
            opened.write(data[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", half)
    assert run(tmp_path).exit_code != 0
    assert (tmp_path / INSTALL).read_bytes() == b"{}"
