"""Most rules are tested by a table: the YAML files beside this one.

A table names rules, below a rule sentences, and below a sentence the cases that show it:

    in: {FILE: {OLD: NEW}}       edits of the example repository, in this order; OLD stands there once
    add: {FILE: TEXT}            files that the example lacks
    beside: {FOLDER: {FILE: …}}  copies of the example's folder under other names, with edits
    each: [VALUE, …]             one case for each value, which stands for <it>
    says: MESSAGE or [MESSAGE]   all problems that are found; without it there are none
    among: MESSAGE               one of the problems that are found

A file without a folder is the example's. "…" stands for any words at the start or the end of a message or after
its line. TODAY, TOMORROW and YESTERDAY are days. `always` holds what all cases of a rule have in common, and
`files: plugins` takes the example of a plugin instead.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.day import TODAY
from tests.folders import EXAMPLE, Tree, edited, problems_in
from tests.packages.made_up import PLUGINS

TABLES = sorted(Path(__file__).parent.glob("*.yaml"))
FOLDER = "accelerators/example/"
DAYS = {"TODAY": 0, "TOMORROW": 1, "YESTERDAY": -1}

Case = Mapping[str, Any]


def tables() -> dict[str, Any]:
    """The tables' content: for each rule its sentences, with their cases."""
    rules: dict[str, Any] = {}
    for path in TABLES:
        text = path.read_text("utf-8")
        for name, days in DAYS.items():
            text = re.sub(rf"\b{name}\b", str(TODAY + dt.timedelta(days)), text)
        rules |= yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it makes texts and no objects
    return rules


def cases() -> Iterator[Any]:
    """Every case, with what is common to its rule."""
    for rule, sentences in tables().items():
        always = sentences.pop("always", {})
        for sentence, listed in sentences.items():
            for case in listed:
                for value in case.get("each", [""]):
                    shown = value or case.get("says") or case.get("among") or case.get("in")
                    yield pytest.param(always, case, value, id=f"{rule}: {sentence}: {shown}")


def edits(changes: Mapping[str, Mapping[str, str]], it: str) -> list[tuple[str, str, str]]:
    return [
        (placed(file), old.replace("<it>", it), new.replace("<it>", it))
        for file, replaced in changes.items()
        for old, new in replaced.items()
    ]


def placed(file: str) -> str:
    return file if "/" in file else FOLDER + file


def repository(always: Case, case: Case, it: str) -> dict[str, str]:
    example = PLUGINS if always.get("files") == "plugins" else EXAMPLE
    added = {**always.get("add", {}), **case.get("add", {})}
    whole = {**example, **{placed(file): text for file, text in added.items() if text}}
    files = edited(*edits(always.get("in", {}), it), *edits(case.get("in", {}), it), files=whole)
    for name, changes in case.get("beside", {}).items():
        copy = edited(*edits(changes, it), files=example)
        files |= {
            path.replace(FOLDER, f"accelerators/{name}/"): text
            for path, text in copy.items()
            if path.startswith(FOLDER)
        }
    return files


def fits(message: str, pattern: str) -> bool:
    return bool(re.fullmatch(re.escape(pattern).replace("…", ".*"), message, re.DOTALL))


@pytest.mark.parametrize(("always", "case", "it"), list(cases()))
def test_a_rule_says_what_its_table_says(always: Case, case: Case, it: str, tree: Tree) -> None:
    found = [p.replace(FOLDER, "") for p in problems_in(tree(repository(always, case, it)))]
    if "among" in case:
        assert any(fits(problem, case["among"].replace("<it>", it)) for problem in found), found
        return
    said = case.get("says", [])
    expected = [m.replace("<it>", it) for m in ([said] if isinstance(said, str) else said)]
    assert len(found) == len(expected), found
    for problem, message in zip(found, expected, strict=True):
        assert fits(problem, message), found
