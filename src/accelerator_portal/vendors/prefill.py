"""Reads what a package's metadata or pytorch.org's list states about a new platform."""

from __future__ import annotations

import configparser
import datetime as dt
import importlib.metadata
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from markdownify import ATX, markdownify
from packaging.metadata import RawMetadata
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from accelerator_portal.catalog.files.versions_file import Releases
from accelerator_portal.catalog.markdown_file import GUIDE_HEADINGS
from accelerator_portal.install.additional_platforms import AdditionalPlatforms
from accelerator_portal.packages.wheel_metadata import (
    MAX_METADATA,
    dist_info_file,
    parse_core_metadata,
    specifier_set,
    valid_requirements,
)
from accelerator_portal.vendors.questions import (
    Prefill,
    exact_version,
    pinned_version,
    requirements,
)
from accelerator_reports.files.fields import is_public_https_url
from accelerator_reports.files.text_file import one_line

_ENTRY_POINT_GROUP = "torch.backends"
"""The entry point group through which `import torch` loads plugins."""

# Labels of project URLs in lower case, in order of preference. Source: "Well-known Project URLs in
# Metadata", a PyPA specification.
_DOCUMENTATION_LABELS = ("documentation", "docs")
_CODE_LABELS = (
    *("source", "source code", "repository", "sourcecode"),
    *("github", "homepage", "home page"),
)
_ISSUE_LABELS = ("issues", "bugs", "issue", "tracker", "issuetracker", "bug tracker", "bugtracker")

_ENTRY_SOURCE = "additional-platforms"

# The portal's headings by those of pytorch.org's guides; other sections stay in the one above.
_SECTIONS = {
    "prerequisites": "Prepare",
    "installation": "Install",
    "verification": "Start",
    "documentation": "Help",
}


class NoMetadataError(ValueError):
    """Raised if a package's metadata is not found or cannot be read; the message says why."""


def prefill_from_package(named: str, releases: Releases, read_day: dt.date) -> Prefill:
    """Return what the metadata of a package states about a new platform.

    `named` is the path of a wheel or of a METADATA file, or the name of an installed package.
    Raises NoMetadataError if its metadata cannot be read.
    """
    path = Path(named)
    try:
        is_file = _is_file(path)
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                return _prefill_from_files(lambda name: _text_in(wheel, name), releases, read_day)
        if is_file:
            _refuse_large(path.stat().st_size)
            text = path.read_text("utf-8", "replace")
            return _prefill_from_files({"METADATA": text}.get, releases, read_day)
        package = importlib.metadata.distribution(named)
        return _prefill_from_files(lambda n: package.read_text(n) or "", releases, read_day)
    except importlib.metadata.PackageNotFoundError:
        error_text = f'no package "{named[:60]}" is installed, and there is no such file'
        raise NoMetadataError(f"{error_text}. Use a wheel, or install the package first") from None
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NoMetadataError(f"{named[:60]} cannot be read ({reason}). Use a wheel") from None
    except ValueError as error:
        raise NoMetadataError(f"{named[:60]}: {error}") from None


def _is_file(path: Path) -> bool:
    """Return whether there is a file. Raises ValueError for a folder, a pipe or a device."""
    if path.exists() and not path.is_file():
        raise ValueError("it is not a regular file. Use a wheel")
    return path.is_file()


def _text_in(wheel: zipfile.ZipFile, name: str) -> str:
    info = dist_info_file(wheel, name)
    if info is None:
        return ""
    _refuse_large(info.file_size)
    return wheel.read(info).decode("utf-8", errors="replace")


def _refuse_large(size: int) -> None:
    if size > MAX_METADATA:
        raise ValueError(f"more than {MAX_METADATA:,} bytes of metadata. Use another package")


def _prefill_from_files(
    read_file: Callable[[str], str | None], releases: Releases, read_day: dt.date
) -> Prefill:
    """Return the prefill from files in a package's `*.dist-info`.

    `read_file` returns the text of a file, "" if there is none, or None if that is unknown. Raises
    ValueError if there is no METADATA file that names the package.
    """
    raw = parse_core_metadata(read_file("METADATA") or "")
    if "name" not in raw:
        raise ValueError("there is no METADATA file with a name. Use a wheel or a METADATA file")
    name, version = raw["name"], raw.get("version", "")
    entry_points = read_file("entry_points.txt")
    plugin_module = _plugin_module(entry_points or "")
    torch = next(
        (
            requirement.specifier
            for requirement in valid_requirements(raw)
            if requirement.name == "torch" and not requirement.marker
        ),
        SpecifierSet(),
    )
    urls = {label.lower().strip(): url for label, url in raw.get("project_urls", {}).items()}
    urls.setdefault("homepage", raw.get("home_page", ""))
    code, documentation, issues = (
        [urls[label] for label in labels if is_public_https_url(urls.get(label, ""))]
        for labels in (_CODE_LABELS, _DOCUMENTATION_LABELS, _ISSUE_LABELS)
    )
    release = releases.by_version.get(exact_version(torch), releases.newest)
    title = f"{name[:100]} {version[:60]}".strip()
    return Prefill(
        "package",
        {
            "url": next(iter([*code, *documentation]), None),
            "title": f"{title}, the metadata of the package itself",
            "read": read_day,
        },
        {
            "package": [name],
            "import": [plugin_module, _only_module(read_file("top_level.txt") or "")],
            "autoload": ["yes" if plugin_module else "no"] if entry_points is not None else [],
            "url": documentation,
            "github": [
                url.removeprefix("https://github.com/").rstrip("/").removesuffix(".git")
                for url in code
                if url.startswith("https://github.com/")
            ],
            "support": issues,
            "summary": [raw.get("summary", "")],
            "torch": [exact_version(torch)],
            "plugin_version": [version] if torch else [],
            "python": [_admitted_pythons(raw, release.python)],
        },
        torch,
    )


def _admitted_pythons(raw: RawMetadata, pythons: tuple[str, ...]) -> str:
    """Return the Python versions in `pythons` that metadata allows: `3.12,3.13`.

    Metadata that states no Python versions gives "". Free-threaded Pythons are omitted, because
    metadata cannot state them. The patch releases 0 and 99 stand for the first and the latest one.
    """
    specifier = specifier_set(raw.get("requires_python"))
    return ",".join(
        python
        for python in (pythons if specifier else ())
        if specifier
        and not python.endswith("t")
        and (specifier.contains(f"{python}.0") or specifier.contains(f"{python}.99"))
    )


def _plugin_module(entry_points: str) -> str:
    """Return the module that `import torch` loads, or ""; `entry_points` is an INI file's text."""
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    try:
        parser.read_string(entry_points)
    except configparser.Error:
        return ""
    group = parser[_ENTRY_POINT_GROUP] if parser.has_section(_ENTRY_POINT_GROUP) else {}
    return re.split(r"[:\s\[]", next(iter(group.values()), "").strip())[0]


def _only_module(top_level: str) -> str:
    names = [name for name in top_level.split() if not name.startswith("_")]
    return names[0] if len(names) == 1 else ""


def prefill_from_entry(data: AdditionalPlatforms, entry_id: str, read_day: dt.date) -> Prefill:
    """Return what the entry `entry_id` of `additional-platforms.json` states about a new platform.

    The first pip command answers the question about the install command. The others become
    `other_commands`, which the vendor adds to install.yaml. Raises KeyError if there is no such
    entry.
    """
    entry = data.platforms[entry_id]
    commands = {
        f"{channel}, {os}": (command, os)
        for channel, by_os in (("stable", entry.stable), ("preview", entry.preview))
        for os, command in (by_os.model_dump() if by_os else {}).items()
        if command
    }
    stable = (command for name, (command, _) in commands.items() if name.startswith("stable"))
    used = next(filter(requirements, stable), "")
    names = [canonicalize_name(requirement.name) for requirement in requirements(used)]
    plugin = next((n for n in names if n not in {"torch", "torchvision", "torchaudio"}), "")
    values: dict[str, Any] = {
        "additional_platform": entry_id,
        "other_commands": {name: one_line(c) for name, (c, _) in commands.items() if c != used},
    }
    if guide := dict(_guide_sections(data.html.get(entry_id, ""))):
        values["guide"] = guide
    return Prefill(
        _ENTRY_SOURCE,
        {
            "url": "https://github.com/pytorch/pytorch.github.io",
            "title": "PyTorch, additional-platforms.json",
            "read": read_day,
        },
        {
            "name": [entry.name],
            "support": [entry.support_channel],
            "package": [plugin],
            "command": [used],
            "os": [
                ",".join(dict.fromkeys(os for command, os in commands.values() if command == used))
            ],
            "torch": [pinned_version(used, "torch").partition("+")[0]],
            "plugin_version": [pinned_version(used, plugin)],
        },
        values=values,
    )


def _guide_sections(html: str) -> Iterator[tuple[str, str]]:
    """Yield the heading and the Markdown of each guide section in `html` that is not empty."""
    sections: dict[str, list[str]] = {heading: [] for heading in GUIDE_HEADINGS}
    lines = sections["Prepare"]
    fenced = False
    text = markdownify(html, heading_style=ATX, autolinks=False, strip=["img"]).strip()
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        heading = None if fenced else re.fullmatch(r"(#+)\s+(.+)", line)
        if heading and heading[2].strip().lower() in _SECTIONS:
            lines = sections[_SECTIONS[heading[2].strip().lower()]]
        elif heading and len(heading[1]) > 1:
            lines.append(f"### {heading[2]}")
        elif not heading:
            lines.append(line.rstrip() if fenced else _with_escaped_html(line.rstrip()))
    for title, section_lines in sections.items():
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(section_lines)).strip()
        if text:
            yield title, text


def _with_escaped_html(line: str) -> str:
    """Return a line with `<` escaped outside code spans."""
    parts = line.split("`")
    parts[::2] = [part.replace("<", "\\<") for part in parts[::2]]
    return "`".join(parts)
