"""Reads and writes the data of pytorch.org's Additional Platforms page.

The format follows `scripts/gen_additional_platforms.py` in `pytorch/pytorch.github.io` (commit
3bb9fbf) and the file that pytorch.org published on 2026-10-10: each platform has three required
keys, and commands for `linux`, `windows` or both.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

from packaging.version import Version
from pydantic import BaseModel, Field, model_validator

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_reports.files.fields import (
    AdditionalPlatformId,
    Code,
    Line,
    Os,
    StrictModel,
    Url,
    validation_error,
)
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.text_file import read_text
from accelerator_reports.files.yaml_file import parse_yaml, validate

MAX_PAGE_LINES = 200
"""The maximum number of lines of a page in Markdown.

Source: `scripts/gen_additional_platforms.py` at commit 3bb9fbf, read 2026-11-23. It counts the
lines before rendering."""

M = TypeVar("M", bound=BaseModel)


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


# The operating systems for which pytorch.org's selector shows commands of additional platforms.
_SYSTEMS: tuple[Os, ...] = ("linux", "windows")
# The formats whose commands readers can paste, the preferred one first.
_METHODS = ("pip", "uv", "docker")


def additional_platform(catalog: Catalog, platform: Platform) -> AdditionalPlatform | None:
    """Return a platform in the format of pytorch.org's Additional Platforms page.

    The commands install the newest release and the nightly build. Returns None if pytorch.org's own
    selector has the platform, or if there is no command for a release on Linux or Windows.
    """
    rows = rows_by_platform(catalog)[platform.id]
    stable = _commands(platform, [row for row in rows if row.build != PREVIEW])
    if platform.id in catalog.defaults.primary or stable is None:
        return None
    return AdditionalPlatform(
        name=platform.accelerator.name,
        support_channel=platform.accelerator.support[0].url,
        stable=stable,
        preview=_commands(platform, [row for row in rows if row.build == PREVIEW]),
    )


def _commands(platform: Platform, rows: list[InstallRow]) -> Commands | None:
    newest = {os: newest_row(platform, rows, os) for os in _SYSTEMS}
    lines = {os: " && ".join(row.commands) for os, row in newest.items() if row}
    return Commands(**lines) if lines else None


def newest_row(platform: Platform, rows: Iterable[InstallRow], os: Os) -> InstallRow | None:
    """Return the row with the newest build for an operating system, or None if there is none.

    Commands of pip are preferred to those of uv, and these to Docker. If several rows have the
    newest build, a row for x86_64 is preferred, then the variant that comes first in
    `install.yaml`.
    """
    variants = [variant.id for variant in platform.install.variants]

    def rank(row: InstallRow) -> tuple[int, bool, Version, bool, int]:
        is_release = row.build != PREVIEW
        return (
            -_METHODS.index(row.method),
            is_release,
            Version(row.build if is_release else "0"),
            row.arch == "x86_64",
            -variants.index(row.variant) if row.variant in variants else 0,
        )

    return max((r for r in rows if r.os == os and r.method in _METHODS), key=rank, default=None)


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

    The content is None if the file is invalid.
    """
    return read_json(folder, name, AdditionalPlatforms)


def read_json(folder: Path, name: str, model: type[M]) -> tuple[M | None, list[Problem]]:
    """Return the record in the JSON file `name` in `folder`, and the problems of the file.

    The record is None if the file is invalid. The file is parsed as YAML, so that the problems have
    line numbers.
    """
    text = read_text(folder, name)
    if isinstance(text, Problem):
        return None, [text]
    file, problems = parse_yaml(name, text)
    if file is None:
        return None, problems
    record, content_problems = validate(model, file)
    return record, problems + content_problems
