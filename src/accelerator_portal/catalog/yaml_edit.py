"""Adds entries to a YAML file without changing its other lines."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from accelerator_portal.catalog.problem import Problem, ProblemsError
from accelerator_portal.catalog.yaml_file import YamlFile, parse_yaml

_DAY = re.compile(r"""(\bread:\s*["']?)\d{4}-\d{2}-\d{2}""")
FileModel = TypeVar("FileModel", bound=BaseModel)


def read_for_edit(
    path: str, text: str, model: type[FileModel], entry: str
) -> tuple[FileModel, YamlFile]:
    """Return what a text says, and its lines. Raises ProblemsError where it is not valid.

    `entry` is what cannot be added then, in words.
    """
    file, problems = parse_yaml(path, text)
    if file is None or problems:
        raise ProblemsError(problems)
    try:
        return model.model_validate(file.data), file
    except ValidationError:
        what = f"the file is not valid, so that no {entry} can be added"
        raise edit_error(path, 1, what, "fix what `accelerator-portal check` reports") from None


def edit_error(path: str, line: int, what: str, remedy: str) -> ProblemsError:
    """Return the error of a text that cannot be edited."""
    return ProblemsError([Problem(path, line, what, remedy)])


def with_read_day(line: str, day: dt.date) -> str:
    """Return the line of a source's `read:` with another day."""
    return _DAY.sub(rf"\g<1>{day}", line, count=1)


def above_comments(lines: list[str], at: int) -> int:
    """Return the index of the first comment that stands above line `at`: it belongs to it."""
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def quoted(value: str) -> str:
    """Return a text as a YAML string on one line."""
    return json.dumps(value, ensure_ascii=False)
