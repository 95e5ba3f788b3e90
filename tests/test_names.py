"""One name, one thing: a public class or alias stands in one module of the library."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.folders import PACKAGES

SOURCES = [folder / "src" for folder in PACKAGES.values()]

# Pydantic names a record's class where a file has something else in its place, so the names below
# stand in messages to readers of that file, or in a published schema: neither side can change.
_CTRF = "accelerator_reports/formats/ctrf.py"
ACCEPTED = {
    "Environment": [
        _CTRF,
        "accelerator_reports/report.py",
    ],  # CTRF's own part; the report's is published
}


def public_types(source: str) -> Iterator[str]:
    """Every public class and type alias that a module defines at its top."""
    for node in ast.parse(source).body:
        match node:
            case ast.ClassDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                pass
            case _:
                continue
        if name[0].isupper() and not name.isupper():  # constants are no types
            yield name


def modules_by_type(*folders: Path) -> dict[str, list[str]]:
    """The modules that define each public type, as paths relative to their folder."""
    found = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            for name in public_types(path.read_text(encoding="utf-8")):
                found[name].append(path.relative_to(folder).as_posix())
    return found


def test_no_two_modules_define_types_of_one_name() -> None:
    found = modules_by_type(*SOURCES)
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == ACCEPTED


def test_classes_and_aliases_are_types_and_constants_are_not(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Change: ...\nclass _Own: ...\nMOST = 3\n")
    (tmp_path / "two.py").write_text("Change = Literal['a']\nclass _Own: ...\nMOST = 4\n")
    assert modules_by_type(tmp_path) == {"Change": ["one.py", "two.py"]}
