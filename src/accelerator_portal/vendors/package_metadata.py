"""Reads a Python package's core metadata and entry points, without the network."""

from __future__ import annotations

import configparser
import importlib.metadata
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from packaging.metadata import RawMetadata
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from accelerator_portal.packages.wheel_metadata import (
    MAX_METADATA,
    dist_info_file,
    parse_core_metadata,
    specifier_set,
    valid_requirements,
)

_ENTRY_POINT_GROUP = "torch.backends"
"""The entry point group through which `import torch` loads plugins."""

_ReadFile = Callable[[str], str | None]
"""A function that returns the text of a file in `*.dist-info`, or None if it does not exist."""


class NoMetadataError(ValueError):
    """Raised if a package's metadata is not found or cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class PackageMetadata:
    """The metadata of a package; values that it does not state are None or empty.

    `torch` and `python` are the versions of torch and Python that the package requires. `urls` has
    the project URLs by lowercase label. `module` is the module to import. `autoload` says
    whether `import torch` loads this module; it is None if only a METADATA file was read.
    """

    name: str
    version: str | None = None
    summary: str | None = None
    urls: Mapping[str, str] = field(default_factory=dict)
    python: SpecifierSet | None = None
    torch: SpecifierSet | None = None
    module: str | None = None
    autoload: bool | None = None


def read_package(named: str) -> PackageMetadata:
    """Return the metadata of a package.

    `named` is the path of a wheel, a METADATA file or a `.dist-info` folder, or the name of an
    installed package. Raises NoMetadataError if its metadata cannot be read.
    """
    path = Path(named)
    try:
        if path.is_dir():
            return _metadata_of_files(_folder_reader(path), has_entry_points=True)
        if path.exists() and not path.is_file():
            raise NoMetadataError(f"{named[:60]} is not a regular file. Use a wheel")
        if path.suffix == ".whl":
            return _metadata_of_wheel(path)
        if path.is_file():
            is_dist_info = path.parent.name.endswith(".dist-info")
            read_file = _folder_reader(path.parent) if is_dist_info else _single_file_reader(path)
            return _metadata_of_files(read_file, has_entry_points=is_dist_info)
        return _metadata_of_files(
            importlib.metadata.distribution(named).read_text, has_entry_points=True
        )
    except importlib.metadata.PackageNotFoundError:
        error_text = f'no package "{named[:60]}" is installed, and there is no such file'
        raise NoMetadataError(f"{error_text}. Use a wheel, or install the package first") from None
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NoMetadataError(f"{named[:60]} cannot be read ({reason}). Use a wheel") from None
    except ValueError as error:
        raise NoMetadataError(f"{named[:60]}: {error}") from None


def _metadata_of_wheel(path: Path) -> PackageMetadata:
    with zipfile.ZipFile(path) as wheel:

        def read(name: str) -> str | None:
            info = dist_info_file(wheel, name)
            if info is None:
                return None
            with wheel.open(info) as file:
                return _decoded_text(file.read(MAX_METADATA + 1))

        return _metadata_of_files(read, has_entry_points=True)


def _folder_reader(folder: Path) -> _ReadFile:
    def read(name: str) -> str | None:
        return _file_text(folder / name) if (folder / name).is_file() else None

    return read


def _single_file_reader(file: Path) -> _ReadFile:
    return lambda name: _file_text(file) if name == "METADATA" else None


def _file_text(file: Path) -> str:
    with file.open("rb") as opened:
        return _decoded_text(opened.read(MAX_METADATA + 1))


def _decoded_text(data: bytes) -> str:
    if len(data) > MAX_METADATA:
        raise ValueError(f"more than {MAX_METADATA:,} bytes of metadata. Use another package")
    return data.decode("utf-8", errors="replace")


def _metadata_of_files(read_file: _ReadFile, *, has_entry_points: bool) -> PackageMetadata:
    """Return the metadata in the files that `read_file` reads.

    `has_entry_points` is false if `read_file` can read only METADATA; `autoload` is then None.
    Raises ValueError if there is no METADATA file that names the package.
    """
    raw = parse_core_metadata(read_file("METADATA") or "")
    if "name" not in raw:
        raise ValueError("there is no METADATA file with a name. Use a wheel or a METADATA file")
    autoload_module = _autoload_module(read_file("entry_points.txt"))
    return PackageMetadata(
        name=raw["name"],
        version=raw.get("version"),
        summary=raw.get("summary"),
        urls=_project_urls(raw),
        python=specifier_set(raw.get("requires_python")),
        torch=_torch_specifier(valid_requirements(raw)),
        module=autoload_module or _top_level_module(read_file("top_level.txt")),
        autoload=bool(autoload_module) if has_entry_points else None,
    )


def _project_urls(raw: RawMetadata) -> dict[str, str]:
    urls = {label.lower().strip(): url for label, url in raw.get("project_urls", {}).items()}
    if home := raw.get("home_page"):
        urls.setdefault("homepage", home)
    return urls


def _torch_specifier(requires: Iterable[Requirement]) -> SpecifierSet | None:
    """Return the torch versions that a package's requirements allow, or None if they allow all.

    Requirements with a marker, for example those of an extra, don't count.
    """
    for requirement in requires:
        if requirement.name == "torch" and not requirement.marker and requirement.specifier:
            return requirement.specifier
    return None


def _autoload_module(text: str | None) -> str | None:
    """Return the module that `import torch` loads, or None.

    `text` is the content of `entry_points.txt`, or None if there is no such file.
    """
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    try:
        parser.read_string(text or "")
    except configparser.Error:
        return None
    values = (
        [*parser[_ENTRY_POINT_GROUP].values()] if parser.has_section(_ENTRY_POINT_GROUP) else []
    )
    return re.split(r"[:\s\[]", values[0].strip())[0] if values else None


def _top_level_module(text: str | None) -> str | None:
    names = [name for name in (text or "").split() if not name.startswith("_")]
    return names[0] if len(names) == 1 else None
