"""Creates two copies to build from: the portal with synthetic platforms, and its pages as files.

It runs as a separate program (`python -m benchmarks.copies`), so that its memory is not counted in
the measurements.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel, get_files

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import EXCEPTIONS, SELECTOR, SHARED_FAQ
from accelerator_portal.catalog.loader import load_catalog
from accelerator_portal.install.expand import expand
from accelerator_reports.files.folders import ACCELERATORS

COPIED = ("data", "hooks", "site_src")

# A link to the page of a platform that is not copied.
_PLATFORM_LINK = re.compile(r"\]\(/compute-platforms/[^)]+\)")


def make_generated(root: Path, folder: Path, count: int, seed: str) -> str:
    """Copy the portal in `root` to `folder`, with `count` synthetic platforms instead of its own.

    The synthetic platforms are copies of the platform `seed`; if it is empty, of the first plugin.
    Returns the id of the copied platform.
    """
    for name in COPIED:
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "mkdocs.yml", folder)
    (folder / EXCEPTIONS).unlink(missing_ok=True)  # they are for folders that are not copied
    faq = folder / SHARED_FAQ
    faq.write_text(_PLATFORM_LINK.sub("](/compute-platforms/)", faq.read_text("utf-8")), "utf-8")
    catalog = catalog_of(root)
    platform = _seed(catalog, seed)
    source = root / ACCELERATORS / platform.id
    for number in range(1, count + 1):
        _add_synthetic(source, platform, folder / ACCELERATORS, number)
    (folder / SELECTOR).write_text(yaml.safe_dump({"start": [_start(catalog, platform)]}))
    return platform.id


def catalog_of(root: Path) -> Catalog:
    """Return the catalog of the folder `root`. Raises SystemExit with the problems without one."""
    catalog, problems = load_catalog(root)
    if catalog is None:
        raise SystemExit("\n".join(map(str, problems)))
    return catalog


def make_static(generated: Path, folder: Path) -> None:
    """Copy the portal in `generated` to `folder`, with the files that hooks add, without hooks."""
    shutil.copytree(generated / "site_src", folder / "site_src")
    shutil.copy(generated / "mkdocs.yml", folder / "portal.yml")
    config, files = _files(generated)
    hidden = [f"{given['not_in_nav']}\n" for given in config.user_configs if "not_in_nav" in given]
    for file in files:
        if file.generated_by is None:
            continue
        _write(file, folder / "site_src/pages" / file.src_uri)
        if file.inclusion == InclusionLevel.NOT_IN_NAV:
            hidden.append(f"/{file.src_uri}\n")
    settings: dict[str, Any] = {"INHERIT": "portal.yml", "hooks": [], "watch": []}
    settings |= {"nav": config.nav, "not_in_nav": "".join(hidden)}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False))


def _seed(catalog: Catalog, wanted: str) -> Platform:
    """Return the platform to copy: the one with the id `wanted`, or else the first plugin, or any.

    Raises SystemExit if `wanted` is unknown.
    """
    if wanted:
        if wanted not in catalog.by_id:
            known = ", ".join(catalog.by_id)
            raise SystemExit(f"There is no whole platform {wanted!r}; known are {known}.")
        return catalog.by_id[wanted]
    plugins = [platform for platform in catalog.platforms if not platform.in_tree]
    return next(iter((*plugins, *catalog.platforms)))


def _add_synthetic(source: Path, platform: Platform, folder: Path, number: int) -> None:
    """Copy a vendor's folder under a synthetic name, and rename its package in all files."""
    name = f"synthetic-{number:04}"
    package, module = f"torch-{name}", f"torch_{name.replace('-', '_')}"
    shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("results"))
    if not platform.in_tree:
        for file in (folder / name).iterdir():
            text = file.read_text(encoding="utf-8")
            known = platform.accelerator.package
            text = text.replace(known.name, package).replace(known.module, module)
            file.write_text(text, encoding="utf-8")
    path = folder / name / "accelerator.yaml"
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    data |= {"name": f"Synthetic {number:04}", "vendor": f"Synthetic vendor {number:04}"}
    data["device"]["value"] = f"synthetic{number:04}"
    data["package"] |= {"name": package, "import": module}
    if "additional_platform" in data:  # pytorch.org lists one platform under an id
        data["additional_platform"]["id"] = name.replace("-", "_")
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _start(catalog: Catalog, platform: Platform) -> dict[str, str]:
    """Return a default choice for the selector for which the first synthetic platform has a row."""
    newest = catalog.releases.newest.version
    rows = [row for row in expand(catalog)[0] if row.platform == platform.id and row.pythons]
    row = min(rows, key=lambda row: row.build != newest)
    start = {"os": row.os, "arch": row.arch, "method": row.method, "platform": "synthetic-0001"}
    return {**start, "python": next(iter(row.pythons or ()))}


def _files(folder: Path) -> tuple[MkDocsConfig, Iterator[File]]:
    """Return MkDocs' configuration and files after the hooks have run."""
    config = load_config(str(folder / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    config = config.plugins.on_config(config)
    config.plugins.on_pre_build(config=config)
    files: Files = config.plugins.on_files(get_files(config), config=config)
    return config, iter(files)


def _write(file: File, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.content_bytes)


def main() -> None:
    """Make both copies and print the id of the copied platform as JSON, under `seed`.

    The arguments are ROOT GENERATED STATIC COUNT [SEED].
    """
    root, generated, static = (Path(argument) for argument in sys.argv[1:4])
    seed = make_generated(root, generated, int(sys.argv[4]), "".join(sys.argv[5:]))
    make_static(generated, static)
    print(json.dumps({"seed": seed}))


if __name__ == "__main__":
    main()
