"""Writes the structured steps of an install option as command lines for the reader's shell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename
from urllib.parse import unquote, urlsplit

from accelerator_portal.catalog.files.install_steps import DockerStep, DownloadStep, PipStep, Step
from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX
from accelerator_portal.install.placeholders import fill_placeholders
from accelerator_portal.install.rows import Container, DerivedMethod, PipCall
from accelerator_portal.install.shell_quotes import (
    command_line,
    quote_address,
    set_variable_command,
)
from accelerator_reports.files.fields import Method, Os
from accelerator_reports.install_check import join_statements

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
