"""Renders the files in `template/` as a new platform's folder, and checks the folder."""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.loader import load_platform
from accelerator_portal.catalog.yaml_text import yaml_line, yaml_text
from accelerator_portal.checks import run_checks
from accelerator_portal.vendors.questions import DOCUMENTATION_SOURCE, Answers, Prefill, pip_steps
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem

_TEMPLATE = Path(__file__).with_name("template")
_NEXT = "# Next: "
_PIN = re.compile(r"={2,3}\s*([^,;\s+]+)")


def folder_files(
    answers: Answers, prefills: Collection[Prefill], read_day: dt.date
) -> dict[str, str]:
    """Return the text of each file of the new platform's folder, by file name.

    `read_day` is the day on which the vendor's documentation was read. The answers must be
    complete.
    """
    values, origins = dict(answers.values), dict(answers.origins)
    for prefill in prefills:
        values |= prefill.values
        origins |= dict.fromkeys(prefill.values, prefill.id)
    title = f"{values['name']}, the vendor's documentation"
    sources = {DOCUMENTATION_SOURCE: {"url": values["url"], "title": title, "read": read_day}}
    sources |= {p.id: {**p.source, "url": p.source["url"] or values["url"]} for p in prefills}
    plugins = values.get("plugin_version", ())
    versions = plugins * len(values["torch"]) if len(plugins) == 1 else plugins
    newest_first = sorted(
        zip(values["torch"], versions or [""] * len(values["torch"]), strict=True),
        key=lambda pair: Version(pair[0]),
        reverse=True,
    )
    values |= {"title": title, "plugin_by_release": dict(newest_first)}
    if "command" in values:
        package = values["package"] if plugins else None
        values["steps"] = pip_steps_with_placeholders(values["command"], package)
    environment = Environment(  # noqa: S701 - YAML and Markdown
        loader=FileSystemLoader(_TEMPLATE),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"yaml": _yaml, "address": _escaped_address}
    return {
        name: _rendered(environment.get_template(name), values, origins, sources)
        for name in ("accelerator.yaml", "install.yaml", "compatibility.yaml", "guide.md", "faq.md")
    }


def _rendered(
    template: Template,
    values: Mapping[str, Any],
    origins: Mapping[str, str],
    sources: Mapping[str, Any],
) -> str:
    """Return the text of a file, which declares the sources that it cites."""
    cited: set[str] = set()

    def source(*keys: str) -> str:
        ids = list(dict.fromkeys(origins[key] for key in keys if key in origins))
        cited.update(ids)
        return ids[0] if len(ids) == 1 else _yaml(ids)

    template.render(values, source=source, sources="")
    declared = {id_: record for id_, record in sources.items() if id_ in cited}
    text = yaml_text({"sources": declared}).removesuffix("\n")
    return template.render(values, source=source, sources=text)


def _yaml(value: Any) -> str:  # noqa: ANN401 - any data
    """Return a value as YAML on one line, such as `"3.12"` or `[linux, windows]`."""
    text = yaml_line([*value] if isinstance(value, tuple) else value)
    return text.removesuffix("\n...")  # the end of a document that is only a text


def _escaped_address(url: str) -> str:
    """Return an address for use in `<…>`; brackets are escaped so that they cannot be citations."""
    return url.replace("[", "%5B").replace("]", "%5D")


def pip_steps_with_placeholders(command: str, package: str | None) -> list[dict[str, Any]]:
    """Return the pip steps of a command, with placeholders for the versions of torch and `package`.

    For example, `torch==2.9.0` and `torch` become `torch=={torch}`. The rows of compatibility.yaml
    later fill the placeholders. Specifiers such as `>=2.9` do not change, nor do steps that install
    pre-releases. `package` is None if the rows have no versions of it.
    """
    placeholders = {"torch": "torch"}
    if package and canonicalize_name(package) != "torch":
        placeholders[str(canonicalize_name(package))] = "plugin"
    steps = [step["pip"] for step in pip_steps(command)]
    for step in steps:
        if not step.get("pre"):
            step["packages"] = [_requirement_text(text, placeholders) for text in step["packages"]]
    return steps


def _requirement_text(text: str, placeholders: Mapping[str, str]) -> str:
    requirement = Requirement(text)
    placeholder = placeholders.get(canonicalize_name(requirement.name))
    if placeholder and not requirement.specifier and not requirement.url:
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        marker = f"; {requirement.marker}" if requirement.marker else ""
        return f"{requirement.name}{extras}=={{{placeholder}}}{marker}"
    if placeholder and len(requirement.specifier) == 1 and "*" not in text:
        return _PIN.sub(f"=={{{placeholder}}}", text, count=1)
    return text


def hints(files: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Yield the file name, the line and the text of each hint about what to complete next."""
    for name, text in files.items():
        for number, line in enumerate(text.split("\n"), start=1):
            if line.startswith(_NEXT):
                yield name, number, line.removeprefix(_NEXT)


def check_folder(
    catalog: Catalog, platform_id: str, files: Mapping[str, str], today: dt.date
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog with the new folder, and the problems that this folder causes.

    `files` has the text of each file in the folder, by name. The returned catalog has no reports.
    The problems include problems in other folders, such as a device string that is no longer
    unique. If the new folder cannot be loaded, the catalog is None, and the problems say why.
    Raises OSError if a temporary file cannot be written.
    """
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / ACCELERATORS / platform_id
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        platform, problems = load_platform(Path(root), platform_id)
    if platform is None:
        return None, sorted(set(problems))
    # Reports take long to check and do not matter here.
    platforms = tuple(replace(other_platform, results=()) for other_platform in catalog.platforms)
    base = replace(catalog, platforms=platforms)
    catalog_with_folder = base.with_platform(platform)
    new_problems = {*problems, *run_checks(catalog_with_folder, today)} - {*run_checks(base, today)}
    return catalog_with_folder, sorted(new_problems)
