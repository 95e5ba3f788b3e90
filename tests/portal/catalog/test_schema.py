from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from accelerator_portal.catalog.schema import (
    FILE_FORMATS,
    SCHEMA_MODELS,
    file_patterns,
    schema_files,
)
from tests.folders import ACCELERATOR, EXAMPLE, INSTALL, REPOSITORY, Edit, edited
from tests.schema_faults import schema_faults

KNOWN_ISSUES = """\
issues:
  - {test: a/b, action: skip, reason: Made up., url: "https://example.org", expires: 2026-05-01}
"""

VALIDATION = """\
suites:
  operators:
    timeout_s: 90
    tolerances: {bfloat16: {rtol: 0.06, atol: 0.05, reason: Made up.}}
    axes: {dtype: {only: [bfloat16], reason: Made up., url: "https://example.org/1"}}
deploy:
  - {id: from-source, title: Made up, script: make, check: python, timeout_s: 7200}
"""

ALL_FILES = [
    (name, file)
    for path, (name, _) in FILE_FORMATS.items()
    for glob in file_patterns(path)
    for file in REPOSITORY.glob(glob)
]


def rejected(name: str, files: list[Path]) -> str:
    """What check-jsonschema says against the files, empty if nothing."""
    return schema_faults(REPOSITORY / f"data/schema/{name}.schema.json", files)


@pytest.mark.parametrize(("path", "text"), schema_files().items())
def test_the_committed_schemas_are_current(path: str, text: str) -> None:
    assert (REPOSITORY / path).read_text(encoding="utf-8") == text


def test_no_other_schemas_are_committed() -> None:
    committed = {f"data/schema/{file.name}" for file in (REPOSITORY / "data/schema").iterdir()}
    assert committed == set(schema_files())


@pytest.mark.parametrize(
    ("name", "file"), [(name, file) for name, file in ALL_FILES if file.suffix == ".yaml"]
)
def test_a_yaml_file_names_its_schema_in_its_first_line(name: str, file: Path) -> None:
    folder = os.path.relpath(REPOSITORY / "data/schema", file.parent)
    expected = f"# yaml-language-server: $schema={folder}/{name}.schema.json"
    assert file.read_text(encoding="utf-8").splitlines()[0] == expected


@pytest.mark.parametrize("name", SCHEMA_MODELS)
def test_editors_find_nothing_wrong_with_the_repositorys_files(name: str, tmp_path: Path) -> None:
    files = [file for kind, file in ALL_FILES if kind == name]
    if name in {"front-matter", "translation"}:
        files = [_front_matter(file, tmp_path) for file in files]
    if name == "known-issues":  # made up: no vendor has declared one yet
        files = [tmp_path / "known-issues.yaml"]
        files[0].write_text(KNOWN_ISSUES, encoding="utf-8")
    if name == "validation":  # the same
        files = [tmp_path / "validation.yaml"]
        files[0].write_text(VALIDATION, encoding="utf-8")
    assert files
    assert rejected(name, files) == ""


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ((ACCELERATOR, "vendor:", "vendr:"), "'vendr' was unexpected"),
        ((ACCELERATOR, "mark: EX\n", ""), "'mark' is a required property"),
        ((ACCELERATOR, "import:", "module:"), "'module' was unexpected"),
        ((INSTALL, '">=1.10"', "1.10"), "is not valid under any of the given schemas"),
        ((INSTALL, "[docker]", "[conda]"), "'conda' is not one of"),
    ],
)
def test_editors_mark_what_the_portal_refuses(edit: Edit, words: str, tmp_path: Path) -> None:
    path = edit[0]
    name = Path(path).stem
    file = tmp_path / "a.yaml"
    file.write_text(EXAMPLE[path], encoding="utf-8")
    assert rejected(name, [file]) == ""
    file.write_text(edited(edit)[path], encoding="utf-8")
    assert words in rejected(name, [file])


@pytest.mark.parametrize("name", SCHEMA_MODELS)
def test_every_key_says_what_it_means(name: str) -> None:
    schema = json.loads(schema_files()[f"data/schema/{name}.schema.json"])
    records = [schema, *schema.get("$defs", {}).values()]
    keys = [(key, field) for record in records for key, field in record["properties"].items()]
    assert [key for key, field in keys if not field.get("description")] == []


def _front_matter(file: Path, folder: Path) -> Path:
    copy = folder / f"{file.parent.name}-{file.stem}.yaml"
    copy.write_text(file.read_text(encoding="utf-8").split("---\n")[1], encoding="utf-8")
    return copy
