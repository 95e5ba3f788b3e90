"""Writes the steps of an install option as commands of pip, uv and other programs, for a shell."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import basename
from typing import get_args
from urllib.parse import unquote, urlsplit

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.install_file import DockerStep, DownloadStep, PipStep, Step
from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX
from accelerator_portal.catalog.message import message
from accelerator_portal.install.rows import (
    OS_LABELS,
    PREVIEW,
    Container,
    DerivedMethod,
    Finding,
    InstallRow,
    PipCall,
    Prerequisite,
    TextFile,
)
from accelerator_reports.files.fields import Method, Os
from accelerator_reports.validation_file import join_statements

# Fills the placeholders in the steps of install options, such as `{torch}`.

PLACEHOLDER_NAMES = frozenset(
    {"torch", "torchvision", "variant", "variant_version", "plugin", "index", "python"}
)

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class UnknownPlaceholderError(LookupError):
    """Raised if a placeholder in a step is unknown, or has no value for the install row."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with each placeholder such as `{torch}` replaced by its value.

    `values` maps names of placeholders to values. Raises UnknownPlaceholderError for a placeholder
    that `values` lacks.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise UnknownPlaceholderError(match[1])
        return values[match[1]]

    return _PLACEHOLDER.sub(value, text)


# Quotes words for a shell: POSIX sh on Linux and macOS, PowerShell and cmd on Windows.
#
# A quoted word for Windows means the same in PowerShell and in cmd, because readers may use either.
# A word that cannot be quoted for both is refused.

# PowerShell splats a word that begins with `@`, and splits a word such as `-Dx.y=1` at the dot.
_PLAIN_ON_WINDOWS = re.compile(r"(?!@|-(?!-)[^.]*\.)[A-Za-z0-9_@+=:./\\-]+")
_SPECIAL_IN_QUOTES = re.compile(r"[\"$`%!\x00-\x1f“”„]")


class UnquotableError(ValueError):
    """Raised if a word cannot be quoted so that both PowerShell and cmd read it unchanged."""


def quote(word: str, os: Os) -> str:
    """Return `word` quoted for the shell of `os`. Raises UnquotableError."""
    if os != "windows":
        return shlex.quote(word)
    if _PLAIN_ON_WINDOWS.fullmatch(word):
        return word
    if not word or _SPECIAL_IN_QUOTES.search(word) or word.endswith("\\"):
        raise UnquotableError(word)
    return f'"{word}"'


def quote_address(url: str, os: Os) -> str:
    """Return an address quoted for the shell of `os`. Raises UnquotableError.

    An address for Windows may contain one percent sign if no other word of the command has one. cmd
    and PowerShell keep a single percent sign; only a batch file requires two.
    """
    if (
        os == "windows"
        and url.count("%") == 1
        and _PLAIN_ON_WINDOWS.fullmatch(url.replace("%", ""))
    ):
        return url
    return quote(url, os)


def command_line(words: list[str], os: Os) -> str:
    """Return the words as one line for the shell of `os`. Raises UnquotableError."""
    return " ".join(quote(word, os) for word in words)


def set_variable_command(name: str, value: str, os: Os) -> str:
    """Return the shell command that sets an environment variable (PowerShell on Windows).

    Raises UnquotableError if the value cannot be quoted.
    """
    if os != "windows":
        return f"export {name}={shlex.quote(value)}"
    if _SPECIAL_IN_QUOTES.search(value):
        raise UnquotableError(value)
    return f'$env:{name} = "{value}"'


_PYTHON_COMMANDS = {"linux": "python3", "macos": "python3", "windows": "python"}

# Methods whose commands start a container's shell, in which the check runs.
CONTAINER_METHODS = frozenset({"docker", "dockerfile"})

# Methods whose commands name no version and install the newest version.
UNPINNED_METHODS = frozenset({"conda", "uv-auto"})

# Methods whose commands run in a virtual environment that Python's module venv, or uv, creates.
_VENV_METHODS = frozenset({"pip", "requirements", "source"})
_UV_VENV_METHODS = frozenset({"uv", "uv-auto"})

# Builds of PyTorch that uv knows by name: `--torch-backend=cu126` instead of an index.
#
# uv then installs PyTorch's own packages from that build's index and all others from PyPI. With an
# index option, all packages would come from that index.

# Source: `uv pip install --help` of uv 0.13.8, only builds that PyTorch published since 2.4. A test
# compares the names with uv.
UV_BACKENDS = frozenset(
    {
        *("cpu", "xpu"),
        *("cu118", "cu121", "cu124", "cu126", "cu128", "cu129", "cu130", "cu132"),
        *("rocm6.0", "rocm6.1", "rocm6.2", "rocm6.2.4", "rocm6.3", "rocm6.4"),
        *("rocm7.0", "rocm7.1", "rocm7.2"),
    }
)


def command_lines(
    steps: tuple[Step, ...], method: Method, os: Os, values: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the command lines of an option's steps, in order.

    `values` maps names of placeholders to values. Raises UnknownPlaceholderError for a
    placeholder that `values` lacks, and UnquotableError for a word that cannot be quoted for
    Windows.
    """
    return tuple(line for step in steps for line in _step_lines(step, method, os, values))


def pip_calls(
    steps: tuple[Step, ...], method: Method, values: Mapping[str, str]
) -> tuple[PipCall, ...]:
    """Return the pip or uv calls of an option's steps, in order.

    `values` maps names of placeholders to values. Raises UnknownPlaceholderError for a
    placeholder that `values` lacks.
    """
    return tuple(_pip_call(step.pip, method, values) for step in steps if step.pip)


def docker_container(steps: tuple[Step, ...], values: Mapping[str, str]) -> Container | None:
    """Return the container of an option if its only step is a `docker run`, else None.

    `values` maps names of placeholders to values. Raises UnknownPlaceholderError for a
    placeholder that `values` lacks.
    """
    if len(steps) != 1 or steps[0].docker is None:
        return None
    step = steps[0].docker
    return Container(
        fill_placeholders(step.image, values),
        tuple(fill_placeholders(word, values) for word in step.args),
    )


def _pip_call(step: PipStep, method: Method, values: Mapping[str, str]) -> PipCall:
    index = (fill_placeholders(step.index, values) if step.index else "") or None
    backend = uv_backend(index) if method == "uv" and not step.extra_index else None
    return PipCall(
        tuple(fill_placeholders(package, values) for package in step.packages),
        None if backend else index,
        fill_placeholders(step.extra_index, values) if step.extra_index else None,
        step.pre,
        backend,
    )


def venv_commands(method: Method | DerivedMethod, os: Os) -> str | None:
    """Return the commands that create and activate a virtual environment for an install method.

    In the commands, `{python}` stands for the Python version. Returns None for methods without a
    virtual environment, such as Docker and conda.
    """
    windows = os == "windows"
    if method in _UV_VENV_METHODS:
        create = "uv venv --python {python}"
    elif method in _VENV_METHODS:
        create = "py -{python} -m venv .venv" if windows else "python{python} -m venv .venv"
    else:
        return None
    activate = ".venv\\Scripts\\Activate.ps1" if windows else "source .venv/bin/activate"
    return f"{create}\n{activate}"


def check_command(code: str, os: Os) -> str:
    """Return the one-line command that runs the Python code `code`. Raises UnquotableError."""
    return command_line([_PYTHON_COMMANDS[os], "-c", join_statements(code)], os)


def pip_install_command(packages: Sequence[str], os: Os) -> str:
    """Return the pip command that installs packages from the default index.

    Raises UnquotableError.
    """
    return command_line([_PYTHON_COMMANDS[os], "-m", "pip", "install", *packages], os)


def _step_lines(step: Step, method: Method, os: Os, values: Mapping[str, str]) -> Iterator[str]:
    if step.pip:
        yield command_line(_pip_words(step.pip, method, os, values), os)
    elif step.docker:
        yield command_line(_docker_words(step.docker, values), os)
    elif step.download:
        yield from _download_lines(step.download, os, values)
    elif step.run:
        yield command_line([fill_placeholders(word, values) for word in step.run], os)
    for name, value in (step.env or {}).items():
        yield set_variable_command(name, fill_placeholders(value, values), os)


def _pip_words(step: PipStep, method: Method, os: Os, values: Mapping[str, str]) -> list[str]:
    words = (
        ["uv", "pip", "install"]
        if method == "uv"
        else [_PYTHON_COMMANDS[os], "-m", "pip", "install"]
    )
    if step.pre:
        words += ["--prerelease=allow"] if method == "uv" else ["--pre"]
    call = _pip_call(step, method, values)
    words += call.packages
    if call.backend:
        words += [f"--torch-backend={call.backend}"]
    if call.index:
        words += ["--index-url", call.index]
    if call.extra_index:
        words += ["--extra-index-url", call.extra_index]
    return words


def _docker_words(step: DockerStep, values: Mapping[str, str]) -> list[str]:
    arguments = [fill_placeholders(word, values) for word in step.args]
    return ["docker", "run", "-it", "--rm", *arguments, fill_placeholders(step.image, values)]


def _download_lines(step: DownloadStep, os: Os, values: Mapping[str, str]) -> Iterator[str]:
    url = fill_placeholders(step.url, values)
    name = basename(unquote(urlsplit(url).path))
    curl = "curl.exe" if os == "windows" else "curl"
    yield f"{command_line([curl, '-L', '-o', name], os)} {quote_address(url, os)}"
    if step.unzip:
        yield command_line(["tar", "-xf", name] if os == "windows" else ["unzip", name], os)


def uv_backend(index: str | None) -> str | None:
    """Return uv's name for the builds on a package index of PyTorch, such as `cu130`.

    `index` is the address of the index. Returns None if uv has no name for it, for example for an
    index of nightly builds.
    """
    name = (index or "").removeprefix(f"{PYTORCH_INDEX}/")
    return name if name in UV_BACKENDS else None


# Derives install rows for formats such as `pyproject.toml` from vendors' install rows.
#
# Vendors state options for methods such as pip, uv and Docker. From their rows come the rows for a
# project's `pyproject.toml`, a `requirements.txt`, a `Dockerfile`, uv's automatic choice of a
# build, and conda.

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
