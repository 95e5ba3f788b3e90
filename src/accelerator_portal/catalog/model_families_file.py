"""`data/model-families.yaml`: the families of models that people ask for."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import Id, Line, Model
from accelerator_portal.catalog.suite_file import SuiteFile


class ModelFamily(Model):
    """A family of models, and the names of its tests in the suites."""

    id: Id
    """The id. It never changes."""
    title: Line
    """Title that readers see, for example `Acme kernel tests`."""
    names: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Patterns `suite/name` of tests, for example `*/*llama*`: `*` matches any characters, `?`
    one character, and `[0-9]` a digit. Case is ignored."""

    def has(self, suite: str, name: str) -> bool:
        """Say whether a test of this name belongs to the family."""
        return any(name_matches(pattern, suite, name) for pattern in self.names)


class ModelFamilies(Model):
    """The model families, in the order in which pages list them.

    They contain tests of suites of kind `model` only. A test can belong to several families.
    """

    families: tuple[ModelFamily, ...]
    """The model families."""


def name_matches(pattern: str, suite: str, name: str) -> bool:
    """Say whether a test fits a pattern `suite/name`; a name may itself have slashes."""
    own_suite, _, own_name = pattern.partition("/")
    return fnmatchcase(suite, own_suite) and fnmatchcase(name.lower(), own_name.lower())


def model_suites(suites: Mapping[str, SuiteFile]) -> dict[str, SuiteFile]:
    """Return the suites that have tests of models."""
    return {id_: suite for id_, suite in suites.items() if suite.kind == "model"}
