"""Tables of problems: YAML files in which a case is an edit of the example and what is said of it.

A table names subjects, below a subject sentences, and below a sentence the cases that show it:

    in: {FILE: {OLD: NEW}}       edits of the example repository, in this order; OLD stands there once
    add: {FILE: TEXT}            files that the example lacks
    beside: {FOLDER: {FILE: …}}  copies of the example's folder under other names, with edits
    each: [VALUE, …]             one case for each value, which stands for <it>
    says: MESSAGE or [MESSAGE]   all problems that are found; without it there are none
    among: MESSAGE               one of the problems that are found

A file without a folder is the example's. "…" in a message stands for any words. TODAY, TOMORROW, IN_TWO_DAYS and YESTERDAY
are days. `always` holds what all cases of a subject have in common, and `files: plugins` takes the example of a
plugin instead.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.day import TODAY
from tests.folders import EXAMPLE, Edit, edited
from tests.portal.packages.made_up import PLUGINS

FOLDER = "accelerators/example/"
_DAYS = {"TODAY": 0, "TOMORROW": 1, "IN_TWO_DAYS": 2, "YESTERDAY": -1}


def read_table(path: Path) -> dict[str, Any]:
    """The subjects of a file, with their sentences; every value is a text."""
    text = path.read_text("utf-8")
    for name, days in _DAYS.items():
        text = re.sub(rf"\b{name}\b", str(TODAY + dt.timedelta(days)), text)
    subjects: dict[str, Any] = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it makes no objects
    return subjects


@dataclass(frozen=True)
class Case:
    """A case, what all cases of its subject have in common, and the value that stands for <it>."""

    own: Mapping[str, Any]
    common: Mapping[str, Any]
    it: str

    @property
    def files(self) -> dict[str, str]:
        """The repository that is to be checked."""
        example = PLUGINS if self.common.get("files") == "plugins" else EXAMPLE
        added = {**self.common.get("add", {}), **self.own.get("add", {})}
        whole = {**example, **{_placed(file): text for file, text in added.items() if text}}
        edits = self._edits(self.common.get("in", {})), self._edits(self.own.get("in", {}))
        files = edited(*edits[0], *edits[1], files=whole)
        for name, changes in self.own.get("beside", {}).items():
            files |= {
                path.replace(FOLDER, f"accelerators/{name}/"): text
                for path, text in edited(*self._edits(changes), files=example).items()
                if path.startswith(FOLDER)
            }
        return files

    def assert_said(self, problems: list[str]) -> None:
        """Compare what was found with what the case says."""
        found = [problem.replace(FOLDER, "") for problem in problems]
        if "among" in self.own:
            assert any(self._fits(problem, self.own["among"]) for problem in found), found
            return
        said = self.own.get("says", [])
        messages = [said] if isinstance(said, str) else said
        assert len(found) == len(messages), found
        for problem, message in zip(found, messages, strict=True):
            assert self._fits(problem, message), found

    def _edits(self, changes: Mapping[str, Mapping[str, str]]) -> list[Edit]:
        return [
            (_placed(file), old.replace("<it>", self.it), new.replace("<it>", self.it))
            for file, replaced in changes.items()
            for old, new in replaced.items()
        ]

    def _fits(self, problem: str, message: str) -> bool:
        pattern = re.escape(message.replace("<it>", self.it)).replace("…", ".*")
        return bool(re.fullmatch(pattern, problem, re.DOTALL))


def cases(*tables: Path) -> list[Any]:
    """Every case of the tables, as parameters of a test that are named by its sentence."""
    return [param for path in tables for param in _cases(read_table(path))]


def _cases(subjects: Mapping[str, Any]) -> Iterator[Any]:
    for subject, sentences in subjects.items():
        common = sentences.pop("always", {})
        for sentence, listed in sentences.items():
            for own in listed:
                for it in own.get("each", [""]):
                    shown = it[:60] or own.get("says") or own.get("among") or own.get("in")
                    yield pytest.param(Case(own, common, it), id=f"{subject}: {sentence}: {shown}")


def _placed(file: str) -> str:
    return file if "/" in file else FOLDER + file
