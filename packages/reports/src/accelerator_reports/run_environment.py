"""Merges what imported files, the user and this machine state about the environment of a run.

The command-line options take precedence over the environment file, which takes precedence over
the imported files. The facts of this machine are added only if no other source states them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import read_text
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.yaml_file import parse_yaml, validate
from accelerator_reports.report import Environment

ENVIRONMENT_OPTIONS = ("torch", "os", "arch", "python", "hardware", "driver")
"""Fields of a report's environment that command-line options of the same name set."""

_MOST_BYTES = 1024 * 1024

IMPORT_REMEDIES: Mapping[str, str] = {
    "started": "add --started YYYY-MM-DDTHH:MM:SS, in UTC",
    "times": "correct --started, or the end time in the file",
    "torch": (
        "add --torch VERSION or --environment FILE, or use --here on the machine and in the "
        "environment that ran the tests"
    ),
    "origins": "add --origin OWNER/NAME@COMMIT:PATH for each file",
    "suites": "pass --suite NAME, so that all tests belong to one suite",
}
"""The options of `report import` that supply a missing fact, by the name of the fact."""

_OTHER_NAMES = {"pytorch": "torch"}


def facts_from_properties(properties: Mapping[str, object]) -> dict[str, str]:
    """Return the facts of the environment that the properties of a file state, by name.

    Properties such as `torch` and `os` (see `ENVIRONMENT_OPTIONS`) are used, in upper or lower
    case. `pytorch` counts as `torch`. Other properties are ignored.
    """
    facts: dict[str, str] = {}
    for key, value in properties.items():
        name = _OTHER_NAMES.get(key.lower(), key.lower())
        if name in ENVIRONMENT_OPTIONS and isinstance(value, str) and value.strip():
            facts.setdefault(name, " ".join(value.split())[:200])
    return facts


def read_environment(path: Path) -> Environment:
    """Read the environment of a run from a JSON or YAML file.

    Raises ProblemsError if the file cannot be read, is empty or has an invalid key or value.
    """
    document, problems = parse_yaml(path.name, read_text(path, _MOST_BYTES))
    if document is None:
        raise ProblemsError(problems)
    environment, schema_problems = validate(Environment, document)
    if environment is None or problems or schema_problems:
        fields = ", ".join(ENVIRONMENT_OPTIONS)
        empty = Problem(path.name, 1, "the file is empty", f"add facts of the run: {fields}")
        raise ProblemsError([*problems, *schema_problems] or [empty])
    return environment


def merged_environment(*stated: Environment | Mapping[str, Any]) -> Environment:
    """Return one environment from several. The first of them that states a fact decides its value.

    Raises pydantic's ValidationError if a value is invalid.
    """
    facts: dict[str, Any] = {}
    for source in stated:
        fields = source.model_dump(exclude_none=True) if isinstance(source, Environment) else source
        for name, value in fields.items():
            if value:
                facts.setdefault(name, value)
    return Environment.model_validate(facts)
