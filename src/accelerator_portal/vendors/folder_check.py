"""Whether a folder would pass the check, before it is written."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.catalog import ACCELERATORS, Platform
from accelerator_portal.catalog.loader import load_platform
from accelerator_portal.checks import run_checks


def check_folder(
    catalog: Catalog, platform_id: str, files: Mapping[str, str], today: dt.date
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalogue with the folder in it, and every problem that the folder would bring.

    Some may be in other folders, such as a device string that is no longer theirs alone. The
    catalogue is None where the folder cannot be read. Raises OSError.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / ACCELERATORS / platform_id
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        platform, problems = load_platform(Path(place), platform_id)
    if platform is None:
        return None, sorted(set(problems))
    others = _without_reports(catalog)
    found = _with(others, platform)
    brought = {*problems, *run_checks(found, today)} - {*run_checks(others, today)}
    return found, sorted(brought)


def _without_reports(catalog: Catalog) -> Catalog:
    """They take long to read, and a new folder changes nothing about them."""
    platforms = (replace(platform, results=()) for platform in catalog.platforms)
    return replace(catalog, platforms=tuple(platforms))


def _with(catalog: Catalog, platform: Platform) -> Catalog:
    platforms = sorted((*catalog.platforms, platform), key=Platform.order)
    files = {**catalog.files, **{f.path: f for f in platform.files.values()}}
    return replace(catalog, platforms=tuple(platforms), files=files)
