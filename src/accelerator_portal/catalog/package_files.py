"""Reading the package facts below `data/`: what cannot be read is a problem, the rest is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from packaging.utils import canonicalize_name
from pydantic import BaseModel, ValidationError

from accelerator_portal.catalog.package_file import PackageFacts, PackagesRead
from accelerator_portal.catalog.problem import Problem

PACKAGES = "data/packages"
PACKAGES_READ = "data/packages-read.json"

# The largest, torch on forty indexes, has a quarter of it.
MAX_BYTES = 4 * 1024**2

_REMEDY = "restore the last valid version of the file, or run accelerator-portal packages sync"

M = TypeVar("M", bound=BaseModel)


def read_package_files(root: Path) -> tuple[dict[str, PackageFacts], PackagesRead, list[Problem]]:
    """Return the facts by normalized name, how fresh they are, and what could not be read."""
    problems: list[Problem] = []
    found: dict[str, PackageFacts] = {}
    folder = root / PACKAGES
    for place in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        path = f"{PACKAGES}/{place.name}"
        facts = _read(root, path, PackageFacts, problems)
        if facts is None:
            continue
        if place.stem != canonicalize_name(facts.package) or place.stem != facts.package:
            what = f'the file is about "{facts.package}"'
            problems.append(Problem(path, 1, what, "rename the file after the package"))
        else:
            found[facts.package] = facts
    read = PackagesRead()
    if (root / PACKAGES_READ).exists():
        read = _read(root, PACKAGES_READ, PackagesRead, problems) or read
    return found, read, problems


def _read(root: Path, path: str, model: type[M], problems: list[Problem]) -> M | None:
    place = root / path
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > MAX_BYTES:
            problems.append(
                Problem(path, 1, "this is not a regular file with package data", _REMEDY)
            )
            return None
        return model.model_validate(json.loads(place.read_bytes()))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        problems.append(Problem(path, 1, f"{where}: {first['msg']}", _REMEDY))
    except (OSError, ValueError, RecursionError) as error:
        what = f"the file cannot be read ({type(error).__name__})"
        problems.append(Problem(path, 1, what, _REMEDY))
    return None
