"""Generates the JSON Schemas of contributed files from their pydantic models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.catalog.files.shared_files import (
    Exceptions,
    ExecutorchGoals,
    FeatureEvidence,
    FinderWords,
    Hosts,
    ModelFamilies,
    Models,
    OtherBackends,
    OwnRuns,
    Relay,
    SelectorDefaults,
    StatedModels,
)
from accelerator_portal.catalog.files.versions_file import Compatibility, Releases
from accelerator_portal.catalog.markdown_file import TranslatedFile
from accelerator_reports.files.sources import SourcedFile
from accelerator_reports.known_issues import KnownIssues
from accelerator_reports.suite_names import SuiteFile
from accelerator_reports.validation_file import Validation

SCHEMA_FOLDER = "data/schema"

WHOLE_FILE_HEADING = "the file"
"""The heading above the description of a whole file, on the page about file formats."""

FILE_FORMATS: dict[str, tuple[str, type[BaseModel]]] = {
    "accelerators/<id>/accelerator.yaml": ("accelerator", Accelerator),
    "accelerators/<id>/install.yaml": ("install", Install),
    "accelerators/<id>/compatibility.yaml": ("compatibility", Compatibility),
    "accelerators/<id>/guide.md, faq.md (front matter)": ("front-matter", SourcedFile),
    "accelerators/<id>/guide.<language>.md, faq.<language>.md (front matter)": (
        "translation",
        TranslatedFile,
    ),
    "accelerators/<id>/known-issues.yaml": ("known-issues", KnownIssues),
    "accelerators/<id>/validation.yaml": ("validation", Validation),
    "accelerators/<id>/stated-models.yaml": ("stated-models", StatedModels),
    "data/releases.yaml": ("releases", Releases),
    "data/selector.yaml": ("selector", SelectorDefaults),
    "data/suites/<id>.yaml": ("suite", SuiteFile),
    "data/models.yaml": ("models", Models),
    "data/model-families.yaml": ("model-families", ModelFamilies),
    "data/feature-tests.yaml": ("feature-tests", FeatureEvidence),
    "data/criteria.yaml": ("criteria", Criteria),
    "data/exceptions.yaml": ("exceptions", Exceptions),
    "data/hosts.yaml": ("hosts", Hosts),
    "data/finder.yaml": ("finder", FinderWords),
    "data/own-runs.yaml": ("own-runs", OwnRuns),
    "data/relay.yaml": ("relay", Relay),
    "data/executorch-goals.yaml": ("executorch-goals", ExecutorchGoals),
    "data/other-backends.yaml": ("other-backends", OtherBackends),
}
"""Maps each contributed file, as the page about file formats names it, to a pair: the name of the
file's schema, and the model of the file."""

SCHEMA_MODELS = dict(FILE_FORMATS.values())
"""Maps the name of each schema to its model."""


@cache
def model_schema(model: type[BaseModel], mode: JsonSchemaMode = "validation") -> str:
    """Return the text of a model's JSON Schema (draft 2020-12).

    With the mode `serialization`, the schema is of published data: it lacks unpublished fields.
    """
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **described_schema(model, mode),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


@cache
def described_schema(model: type[BaseModel], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return pydantic's JSON Schema of a model, with the docstrings of its fields.

    Callers share the result and must not change it.
    """
    return model.model_json_schema(by_alias=True, mode=mode)


def schema_files() -> dict[str, str]:
    """Return the text of each schema file, by the path of the file."""
    return {
        f"{SCHEMA_FOLDER}/{name}.schema.json": model_schema(model)
        for name, model in SCHEMA_MODELS.items()
    }


def slug(text: str) -> str:
    """Return the anchor of a heading: its words in lower case, joined by hyphens.

    Only ASCII letters and digits remain; if there are none, the anchor is `section`.
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"


def format_address(path: str, record: str) -> str:
    """Return the address of a format's description on the site, relative to the site's root.

    `path` is the contributed file. `record` is the name of the model for a part of the file, such
    as `Option`, or empty for the whole file. If the format of the file is not described, return the
    address of the page with all formats.
    """
    if fnmatchcase(path, "accelerators/*/results/*"):
        return "contribute/report/#keys"
    for name in FILE_FORMATS:
        if any(fnmatchcase(path, pattern) for pattern in file_patterns(name)):
            return f"contribute/format/#{slug(name)}-{slug(record or WHOLE_FILE_HEADING)}"
    return "contribute/format/"


def file_patterns(name: str) -> Iterator[str]:
    """Yield a glob pattern for each file that a key of FILE_FORMATS names.

    For example, `accelerators/<id>/guide.md, faq.md` → `accelerators/*/guide.md` and
    `accelerators/*/faq.md`.
    """
    name = name.partition(" (")[0].replace("<id>", "*").replace("<language>", "*")
    first_path, *other_names = name.split(", ")
    yield first_path
    yield from (f"{first_path.rpartition('/')[0]}/{other}" for other in other_names)
