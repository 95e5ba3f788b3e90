"""Writes the generated pages and data files of the site, each described by a `SiteFile`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

API = "api/v1"
PLATFORMS = "compute-platforms"


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the site.

    `path` is relative to the site's sources: `compute-platforms/cuda.md` or `api/v1/x.json`. `edit`
    is the repository file that readers edit to change the page, or None. `platform` is the
    platform's name if the file is the page of a platform. `language` is the code of the page's
    language, or None for English.
    """

    path: str
    content: str
    edit: str | None = None
    platform: str | None = None
    language: str | None = None


def to_root(path: str) -> str:
    """Return the relative address that leads from the page at `path` to the site's root.

    For `a/b.md`, the result is `../../`, because each page is served as a folder: `a/b.md` as
    `/a/b/`, `a/index.md` as `/a/`, and `index.md` as `/`.
    """
    parts = path.removesuffix(".md").split("/")
    depth = len(parts) - (parts[-1] == "index")
    return "../" * depth or "./"


def data_file(path: str, data: BaseModel | dict[str, Any]) -> SiteFile:
    """Return a JSON file of the site. `path` is relative to `/api/v1/`.

    Fields of a pydantic model that are None are omitted.
    """
    if isinstance(data, BaseModel):
        data = data.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return SiteFile(f"{API}/{path}", text + "\n")


def write_files(files: Iterable[SiteFile], folder: Path) -> Iterator[tuple[SiteFile, Path]]:
    """Write each file to `folder` as soon as it is generated.

    Yields each file with the path to which it was written. The `content` of the yielded files is
    empty.
    """
    for file in files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.content, encoding="utf-8", newline="")
        yield replace(file, content=""), target
