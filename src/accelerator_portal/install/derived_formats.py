"""Derives install rows for formats such as `pyproject.toml` from vendors' install rows.

Vendors state options for methods such as pip, uv and Docker. From their rows, this module derives
rows for a project's `pyproject.toml`, a `requirements.txt`, a `Dockerfile`, uv's automatic choice
of a build, and conda.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import get_args

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX
from accelerator_portal.catalog.message import message
from accelerator_portal.install.commands import UV_BACKENDS
from accelerator_portal.install.labels import OS_LABELS
from accelerator_portal.install.rows import (
    PREVIEW,
    Finding,
    InstallRow,
    PipCall,
    Prerequisite,
    TextFile,
)
from accelerator_portal.install.shell_quotes import command_line
from accelerator_reports.files.fields import Method

# The methods that vendors state; all other methods are derived from these.
VENDOR_METHODS: frozenset[str] = frozenset(get_args(Method))

UV_GUIDE = "https://docs.astral.sh/uv/guides/integration/pytorch/"

# The finding for a command that names no version.
NOT_PINNED = message("Not checked: the command names no version and installs the newest version.")

# How markers name the operating systems.
_UV_SYSTEMS = {"linux": "linux", "macos": "darwin", "windows": "win32"}

# Builds whose further requirements are all on PyPI. Those of other builds (for ROCm and XPU, and
# nightly builds) are on the build's own index, which therefore has to serve every package of the
# project.
_EXPLICIT_INDEXES = (f"{PYTORCH_INDEX}/cpu", f"{PYTORCH_INDEX}/cu")


def with_derived_formats(catalog: Catalog, rows: Iterable[InstallRow]) -> tuple[InstallRow, ...]:
    """Return `rows`, and the rows derived from them, such as rows for a `pyproject.toml`."""
    rows = tuple(rows)
    newest_uv_rows = _newest_uv_rows(rows)
    systems = _systems_of_indexes(rows)
    all_rows: list[InstallRow] = []
    for row in rows:
        all_rows.append(row)
        if row.method == "pip":
            all_rows += _pyproject_rows(row, systems)
            all_rows += _requirements_rows(row)
        elif row.method == "docker":
            all_rows += _dockerfile_rows(row)
        elif row.method == "uv" and newest_uv_rows.get((row.platform, row.os, row.arch)) is row:
            all_rows.append(_uv_auto_row(row))
    return (*all_rows, *_conda_rows(catalog, rows))


def _requirements_rows(row: InstallRow) -> Iterator[InstallRow]:
    """Yield the row for requirements files, with a file for each pip call of `row`.

    Each call needs its own file, because the indexes in a file apply to all packages in the file.
    No row is yielded if the commands do more than install packages.
    """
    if not _only_installs_packages(row):
        return
    names = ["requirements.txt"]
    if len(row.calls) > 1:
        names = [f"requirements-{position + 1}.txt" for position in range(len(row.calls))]
    files = tuple(
        TextFile(name, "\n".join(_requirement_lines(call)))
        for name, call in zip(names, row.calls, strict=True)
    )
    python = "python" if row.os == "windows" else "python3"
    commands = tuple(command_line([python, "-m", "pip", "install", "-r", n], row.os) for n in names)
    yield replace(row, method="requirements", commands=commands, files=files)


def _requirement_lines(call: PipCall) -> Iterator[str]:
    if call.index:
        yield f"--index-url {call.index}"
    if call.extra_index:
        yield f"--extra-index-url {call.extra_index}"
    if call.pre:
        yield "--pre"
    yield from call.packages


def _systems_of_indexes(rows: Iterable[InstallRow]) -> dict[str, frozenset[str]]:
    """Return a mapping of package index addresses to the operating systems whose rows use them."""
    systems_by_index: dict[str, frozenset[str]] = {}
    for row in rows:
        for index in {call.index for call in row.calls if call.index}:
            systems_by_index[index] = systems_by_index.get(index, frozenset()) | {row.os}
    return systems_by_index


def _pyproject_rows(row: InstallRow, systems: Mapping[str, frozenset[str]]) -> Iterator[InstallRow]:
    """Yield a row with a `pyproject.toml` for uv, made from the pip commands of `row`.

    `systems` maps the address of an index to the operating systems that it has wheels for. No row
    is yielded if the commands do more than install packages, or if a requirement is invalid.
    """
    if not _only_installs_packages(row):
        return
    try:
        text = "\n".join(_project_lines(row, systems))
    except InvalidRequirement:
        return
    check = row.check
    if check:  # `uv run` calls Python `python` on every system
        command = check.command.replace("python3 ", "python ", 1)
        check = replace(check, command=f"uv run {command}")
    file = TextFile("pyproject.toml", text)
    yield replace(row, method="pyproject", commands=("uv sync",), files=(file,), check=check)


def _project_lines(row: InstallRow, systems: Mapping[str, frozenset[str]]) -> Iterator[str]:
    yield "[project]"
    yield 'name = "my-project"'
    yield 'version = "0.1.0"'
    yield 'requires-python = "=={python}.*"'
    if row.variant.startswith("cu") and not any(c.index or c.extra_index for c in row.calls):
        yield "# PyPI's Linux wheel is the CUDA build."
        yield "# On Windows and macOS, the same lines install the CPU build."
    yield "dependencies = ["
    for call in row.calls:
        yield from (f"  {_toml_string(package)}," for package in call.packages)
    yield "]"
    if any(call.pre for call in row.calls):
        yield from ("", "[tool.uv]", 'prerelease = "allow"')
    sources: dict[str, str] = {}
    indexes: dict[str, str] = {}
    for call in row.calls:
        for index in filter(None, (call.index, call.extra_index)):
            indexes.setdefault(index, _index_name(index, len(indexes)))
        if call.index:
            marker = _source_marker(call.index, systems)
            source = f"{{ index = {_toml_string(indexes[call.index])}{marker} }}"
            # A dot would begin a nested table; in the name of a package, it means the same as `-`.
            names = (Requirement(package).name.replace(".", "-") for package in call.packages)
            sources |= dict.fromkeys(names, source)
    if sources:
        yield from ("", "[tool.uv.sources]")
        yield from (f"{name} = {source}" for name, source in sources.items())
    for url, name in indexes.items():
        yield from ("", *_index_lines(url, name, systems.get(url, frozenset(_UV_SYSTEMS))))


def _index_lines(url: str, name: str, systems: frozenset[str]) -> Iterator[str]:
    if not url.startswith(_EXPLICIT_INDEXES) and len(systems) < len(_UV_SYSTEMS):
        names = [OS_LABELS[system] for system in _UV_SYSTEMS if system in systems]
        yield f"# For {' and '.join(names)} only"
    yield from ("[[tool.uv.index]]", f"name = {_toml_string(name)}", f"url = {_toml_string(url)}")
    if url.startswith(_EXPLICIT_INDEXES):
        yield "explicit = true"
    elif url.startswith(PYTORCH_INDEX):
        yield "# Not explicit: further packages, such as Triton for this hardware, are here."


def _source_marker(index: str, systems: Mapping[str, frozenset[str]]) -> str:
    """Return the marker of a uv source, such as `, marker = "sys_platform == 'linux'"`.

    With the marker, uv uses PyPI on operating systems for which `index` has no wheels. `systems`
    maps the address of an index to the operating systems that it has wheels for. Returns an empty
    text if `index` has wheels for all operating systems. Also returns an empty text if `index` does
    not start with any of _EXPLICIT_INDEXES, because uv then searches it for all packages.
    """
    if not index.startswith(_EXPLICIT_INDEXES) or len(systems[index]) == len(_UV_SYSTEMS):
        return ""
    names = (name for system, name in _UV_SYSTEMS.items() if system in systems[index])
    return f", marker = {_toml_string(' or '.join(f'sys_platform == {name!r}' for name in names))}"


def _index_name(url: str, position: int) -> str:
    if url.startswith(f"{PYTORCH_INDEX}/"):
        return "pytorch-" + re.sub(r"[/.]", "-", url.removeprefix(f"{PYTORCH_INDEX}/"))
    return f"vendor-{position + 1}"


def _toml_string(value: str) -> str:
    """Return a value as a TOML basic string, which JSON writes in the same way."""
    return json.dumps(value, ensure_ascii=False)


def _dockerfile_rows(row: InstallRow) -> Iterator[InstallRow]:
    """Yield a row with a Dockerfile that is based on the vendor's image.

    The commands of the row build the Dockerfile and run the result. No row is yielded if `row` does
    not start a container.
    """
    if row.container is None:
        return
    text = "\n".join((f"FROM {row.container.image}", "WORKDIR /workspace", "COPY . ."))
    name = "pytorch-app"
    run = ["docker", "run", "-it", "--rm", *row.container.args, name]
    commands = (f"docker build -t {name} .", command_line(run, row.os))
    yield replace(
        row, method="dockerfile", commands=commands, files=(TextFile("Dockerfile", text),)
    )


def _only_installs_packages(row: InstallRow) -> bool:
    return len(row.calls) == len(row.commands) > 0


def _newest_uv_rows(rows: Iterable[InstallRow]) -> dict[tuple[str, str, str], InstallRow]:
    """Return the uv row of the newest release for each platform and machine.

    Only rows with a build that uv can detect (`--torch-backend=auto`) are used. Nightly builds are
    omitted. The keys are platform id, operating system and architecture.
    """
    newest: dict[tuple[str, str, str], InstallRow] = {}
    for row in rows:
        is_detected = row.variant in UV_BACKENDS or any(c.backend == "xpu" for c in row.calls)
        if row.method != "uv" or row.build == PREVIEW or not is_detected:
            continue
        key = (row.platform, row.os, row.arch)
        newest_row = newest.get(key)
        if newest_row is None or Version(newest_row.build) < Version(row.build):
            newest[key] = row
    return newest


def _uv_auto_row(row: InstallRow) -> InstallRow:
    """Return the row for the command that lets uv detect the GPU and its driver.

    No version is pinned, because the releases in an index depend on the build that uv picks.
    """
    return replace(
        row,
        method="uv-auto",
        commands=("uv pip install torch torchvision --torch-backend=auto",),
        check=row.check and replace(row.check, prints=""),
        prerequisites=(*_unversioned_prerequisites(row), Prerequisite("uv", None, UV_GUIDE)),
        note="uv detects the GPU and its driver, and installs the newest matching build. "
        "The version is not pinned.",
        calls=(),
        findings=_not_pinned_findings(row),
    )


def _conda_rows(catalog: Catalog, rows: Iterable[InstallRow]) -> Iterator[InstallRow]:
    """Yield the conda row for each platform and machine that conda-forge has packages for.

    Each conda row is derived from the first pip row of the platform and machine that is not for a
    nightly build. If there is no such pip row, no conda row is yielded.
    """
    conda = catalog.defaults.conda
    if conda is None:
        return
    row_by_machine: dict[tuple[str, str, str], InstallRow] = {}
    for row in rows:
        fits = row.platform in conda.platforms and row.arch in conda.machines.get(row.os, ())
        if fits and row.method == "pip" and row.build != PREVIEW:
            row_by_machine.setdefault((row.platform, row.os, row.arch), row)
    for row in row_by_machine.values():
        yield replace(
            row,
            method="conda",
            commands=(conda.command, "conda activate pytorch"),
            prerequisites=_unversioned_prerequisites(row),
            check=row.check and replace(row.check, prints=""),
            note=conda.note,
            calls=(),
            findings=_not_pinned_findings(row),
        )


def _unversioned_prerequisites(row: InstallRow) -> tuple[Prerequisite, ...]:
    """Return a row's prerequisites without their versions, because versions depend on the build."""
    return tuple(replace(prerequisite, version=None) for prerequisite in row.prerequisites)


def _not_pinned_findings(row: InstallRow) -> tuple[Finding, ...]:
    return (Finding("unchecked", NOT_PINNED),) * len(row.pythons or "1")
