"""Reads `additional-platforms.json`, the data of pytorch.org's Additional Platforms page.

The format follows `scripts/gen_additional_platforms.py` in `pytorch/pytorch.github.io` (commit
3bb9fbf) and the file that pytorch.org published on 2026-10-10: each platform has three required
keys, and commands for `linux`, `windows` or both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog import Platform
from accelerator_reports.files.fields import (
    AdditionalPlatformId,
    Code,
    Line,
    StrictModel,
    Url,
    validation_error,
)
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.text_file import read_text
from accelerator_reports.files.yaml_file import parse_yaml, validate


class Commands(StrictModel):
    """The install command for each operating system that has one."""

    linux: Code | None = None
    """The command for Linux."""
    windows: Code | None = None
    """The command for Windows."""

    @model_validator(mode="after")
    def _require_command(self) -> Commands:
        if not (self.linux or self.windows):
            raise validation_error(
                "there is no command for any operating system", "add linux, windows or both"
            )
        return self


class AdditionalPlatform(StrictModel):
    """A platform in `additional-platforms.json`."""

    name: Line
    """The name that readers see."""
    support_channel: Url
    """The address of a place to ask for help."""
    stable: Commands
    """Commands for the newest release."""
    preview: Commands | None = None
    """Commands for nightly builds."""


class AdditionalPlatforms(StrictModel):
    """The content of `additional-platforms.json`."""

    schema_version: Literal[1]
    """The version of the format."""
    generated_at: Line | None = None
    """The time at which the file was generated, in ISO 8601 format."""
    generator_commit: Line | None = None
    """The commit of the program that generated the file."""
    platforms: dict[AdditionalPlatformId, AdditionalPlatform]
    """The platforms by id."""
    html: dict[AdditionalPlatformId, str] = Field(default_factory=dict)
    """Each platform's installation guide as HTML."""

    @model_validator(mode="after")
    def _guides_have_platforms(self) -> AdditionalPlatforms:
        for name in self.html:
            if name not in self.platforms:
                raise validation_error(
                    f'"{name}" is in html but not in platforms', "list it in both"
                )
        return self


def additional_platform_id(platform: Platform) -> str:
    """Return the id of a platform on pytorch.org's Additional Platforms page.

    If `accelerator.yaml` states no such id, the id is the name of the platform's folder, with
    hyphens replaced by underscores.
    """
    entry = platform.accelerator.additional_platform
    return entry.id if entry else platform.id.replace("-", "_")


def read_additional_platforms(
    folder: Path, name: str
) -> tuple[AdditionalPlatforms | None, list[Problem]]:
    """Return the content of the JSON file `name` in `folder`, and the problems of the file.

    The content is None if the file is invalid. The file is parsed as YAML, so that the problems
    have line numbers.
    """
    text = read_text(folder, name)
    if isinstance(text, Problem):
        return None, [text]
    file, problems = parse_yaml(name, text)
    if file is None:
        return None, problems
    record, content_problems = validate(AdditionalPlatforms, file)
    return record, problems + content_problems
