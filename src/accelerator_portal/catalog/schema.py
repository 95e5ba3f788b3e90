"""JSON Schemas of the contributed YAML files, for editors and for the site."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pydantic import BaseModel

from accelerator_portal.catalog.accelerator import Accelerator
from accelerator_portal.catalog.compatibility_file import Compatibility
from accelerator_portal.catalog.criteria_file import Criteria
from accelerator_portal.catalog.exceptions_file import Exceptions
from accelerator_portal.catalog.executorch_goals_file import ExecutorchGoals
from accelerator_portal.catalog.field_docstrings import DescribedSchema
from accelerator_portal.catalog.finder_file import FinderWords
from accelerator_portal.catalog.hosts_file import Hosts
from accelerator_portal.catalog.install_file import Install
from accelerator_portal.catalog.known_issues_file import KnownIssues
from accelerator_portal.catalog.model_families_file import ModelFamilies
from accelerator_portal.catalog.other_backends_file import OtherBackends
from accelerator_portal.catalog.own_runs_file import OwnRuns
from accelerator_portal.catalog.relay_file import Relay
from accelerator_portal.catalog.releases_file import Releases
from accelerator_portal.catalog.selector_file import SelectorDefaults
from accelerator_portal.catalog.sources import SourcedFile
from accelerator_portal.catalog.suite_file import Models, SuiteFile
from accelerator_portal.catalog.validation_file import Validation

SCHEMA_FOLDER = "data/schema"

SCHEMAS: dict[str, type[BaseModel]] = {
    "accelerator": Accelerator,
    "install": Install,
    "compatibility": Compatibility,
    "front-matter": SourcedFile,
    "releases": Releases,
    "selector": SelectorDefaults,
    "known-issues": KnownIssues,
    "validation": Validation,
    "suite": SuiteFile,
    "models": Models,
    "model-families": ModelFamilies,
    "criteria": Criteria,
    "exceptions": Exceptions,
    "hosts": Hosts,
    "own-runs": OwnRuns,
    "relay": Relay,
    "executorch-goals": ExecutorchGoals,
    "other-backends": OtherBackends,
    "finder": FinderWords,
}


def schema_text(name: str) -> str:
    """Return the JSON Schema (draft 2020-12) of one kind of file, as it is committed."""
    return model_schema(SCHEMAS[name])


@cache
def model_schema(model: type[BaseModel]) -> str:
    """Return the JSON Schema (draft 2020-12) of any model."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **described(model)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


@cache
def described(model: type[BaseModel]) -> dict[str, Any]:
    """Return what pydantic's JSON Schema of a model says, with the docstrings of its fields.

    Nobody may change it: there is one for all who ask.
    """
    return model.model_json_schema(by_alias=True, schema_generator=DescribedSchema)


def schema_files() -> dict[str, str]:
    """Return the text of every schema file by its path."""
    return {f"{SCHEMA_FOLDER}/{name}.schema.json": schema_text(name) for name in SCHEMAS}
