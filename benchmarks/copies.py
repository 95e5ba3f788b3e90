"""Creates two copies to build from: the portal with synthetic platforms, and its pages as files.

`benchmarks/build.py` runs it as a program, so that its memory is not counted in the measurements.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path
from typing import Any

import yaml
from mkdocs.config import load_config
from mkdocs.structure.files import InclusionLevel, get_files

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import EXCEPTIONS, SELECTOR, SHARED_FAQ
from accelerator_portal.catalog.loader import load_catalog
from accelerator_portal.install.expand import expand
from accelerator_reports.files.folders import ACCELERATORS

# A link to the page of a platform that is not copied.
_PLATFORM_LINK = re.compile(r"\]\(/compute-platforms/[^)]+\)")


def main() -> None:
    """Make both copies. Raises SystemExit with the problems if the portal cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copies", description=__doc__)
    for name in ("root", "portal", "mkdocs"):
        parser.add_argument(name, type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", default="")
    parser.add_argument("--no-results", action="store_true")
    arguments = parser.parse_args()
    folder, catalog = arguments.portal, catalog_of(arguments.root)
    platform = _seed(catalog, arguments.seed)
    _copy_shared_files(arguments.root, folder)
    for number in range(1, arguments.count + 1):
        name = f"synthetic-{number:04}"
        copy = folder / ACCELERATORS / name
        shutil.copytree(arguments.root / ACCELERATORS / platform.id, copy)
        if arguments.no_results:
            shutil.rmtree(copy / "results", ignore_errors=True)
        _rename(copy, platform, name)
    (folder / SELECTOR).write_text(yaml.safe_dump({"start": [_start(catalog, platform)]}))
    _write_static(folder, arguments.mkdocs)


def catalog_of(root: Path) -> Catalog:
    """Return the catalog of the folder `root`. Raises SystemExit with the problems without one."""
    catalog, problems = load_catalog(root)
    if catalog is None:
        raise SystemExit("\n".join(map(str, problems)))
    return catalog


def _seed(catalog: Catalog, wanted: str) -> Platform:
    """Return the platform to copy: the one with the id `wanted`, or else the first plugin."""
    if wanted and wanted not in catalog.by_id:
        raise SystemExit(f"no platform {wanted!r}; known are {', '.join(catalog.by_id)}")
    if wanted:
        return catalog.by_id[wanted]
    return next(platform for platform in catalog.platforms if not platform.in_tree)


def _copy_shared_files(root: Path, folder: Path) -> None:
    """Copy everything but the platforms, without what is only about them."""
    for name in ("data", "hooks", "site_src"):
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "mkdocs.yml", folder)
    (folder / EXCEPTIONS).unlink(missing_ok=True)
    faq = folder / SHARED_FAQ
    faq.write_text(_PLATFORM_LINK.sub("](/compute-platforms/)", faq.read_text("utf-8")), "utf-8")


def _rename(copy: Path, platform: Platform, name: str) -> None:
    """Give a copy of a platform's folder a name, a package, a device and suites of its own."""
    package, module = f"torch-{name}", f"torch_{name.replace('-', '_')}"
    own = platform.accelerator.package
    for file in filter(Path.is_file, copy.rglob("*")):
        text = file.read_text("utf-8")
        for suite in platform.accelerator.suites:
            text = text.replace(suite.name, suite.name.replace(platform.id, name, 1))
        if file.suffix == ".json":
            text = text.replace(f'"accelerator": "{platform.id}"', f'"accelerator": "{name}"')
            text = text.replace('"kind": "made-here"', '"kind": "self-reported"')
        elif not platform.in_tree:
            text = text.replace(own.name, package).replace(own.module, module)
        file.write_text(text, "utf-8")
    path = copy / "accelerator.yaml"
    data = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
    data |= {"name": name.capitalize(), "vendor": f"Vendor of {name}"}
    data["device"]["value"] = name.replace("-", "")
    data["package"] |= {"name": package, "import": module}
    if "additional_platform" in data:  # pytorch.org lists one platform under an id
        data["additional_platform"]["id"] = name.replace("-", "_")
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "utf-8")


def _start(catalog: Catalog, platform: Platform) -> dict[str, str]:
    """Return a default choice for the selector for which the first synthetic platform has a row."""
    newest = catalog.releases.newest.version
    rows = [row for row in expand(catalog)[0] if row.platform == platform.id and row.pythons]
    row = min(rows, key=lambda row: row.build != newest)
    start = {"os": row.os, "arch": row.arch, "method": row.method, "platform": "synthetic-0001"}
    return {**start, "python": next(iter(row.pythons or ()))}


def _write_static(portal: Path, folder: Path) -> None:
    """Copy the portal to `folder`, with the files that its hooks add, without the hooks."""
    shutil.copytree(portal / "site_src", folder / "site_src")
    shutil.copy(portal / "mkdocs.yml", folder / "portal.yml")
    config = load_config(str(portal / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    config = config.plugins.on_config(config)
    config.plugins.on_pre_build(config=config)
    hidden = [f"{given['not_in_nav']}\n" for given in config.user_configs if "not_in_nav" in given]
    for file in config.plugins.on_files(get_files(config), config=config):
        if file.generated_by is not None:
            path = folder / "site_src/pages" / file.src_uri
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content_bytes)
            if file.inclusion == InclusionLevel.NOT_IN_NAV:
                hidden.append(f"/{file.src_uri}\n")
    settings: dict[str, Any] = {"INHERIT": "portal.yml", "hooks": [], "watch": []}
    settings |= {"nav": config.nav, "not_in_nav": "".join(hidden)}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False))


if __name__ == "__main__":
    main()
