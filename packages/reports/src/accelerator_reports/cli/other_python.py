"""Implements the option `validate --python`, which runs suites with another Python's torch.

The option is for `uvx` and `pipx`, which install a command into its own environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from accelerator_reports.files.wording import PACKAGES

_OPTION = "--python"
_PATH_VARIABLE = "ACCELERATOR_PORTAL_PATH"
_TIMEOUT_S = 60
_VERSION_CODE = "import sys; print('%d.%d' % sys.version_info[:2])"

# All base dependencies are in the same folders as these modules. The command imports the tables of
# commands of all installed packages of this project.
_BASE = (*(name.replace("-", "_") for name in PACKAGES), "click", "pydantic", "rich", "yaml")


def without_python_option(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line without `--python PATH`."""
    remaining_words = iter(words)
    for word in remaining_words:
        if word == _OPTION:
            next(remaining_words, None)
        elif not word.startswith(f"{_OPTION}="):
            yield word


def environment_for_python(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables for running this package in another Python interpreter.

    They are `variables` with changed values of PYTHONPATH and ACCELERATOR_PORTAL_PATH. With these
    values, the other interpreter finds its own packages first, then this package and its base
    dependencies.
    """
    python_path = [
        str(Path(__file__).parent / "other_python_startup"),
        variables.get("PYTHONPATH", ""),
    ]
    specs = [spec for name in _BASE if (spec := find_spec(name)) and spec.origin]
    folders = dict.fromkeys(str(Path(str(spec.origin)).parent.parent) for spec in specs)
    return {
        **variables,
        "PYTHONPATH": os.pathsep.join(filter(None, python_path)),
        _PATH_VARIABLE: os.pathsep.join(folders),
    }


def given_command() -> list[str]:
    """Return the words of the command line of this process, with `--python` if it was given."""
    python = [_OPTION, sys.executable] if _PATH_VARIABLE in os.environ else []
    return ["accelerator-portal", *sys.argv[1:], *python]


def _restart_in_python(
    _context: click.Context, parameter: click.Parameter, python: Path | None
) -> None:
    """Replace this process with the same command in the interpreter `python`.

    Does nothing if `python` is None. Raises click.BadParameter if the interpreter does not run, or
    if its Python version differs from this process's version.
    """
    if python is None:
        return
    own_version, other_version = (
        "{}.{}".format(*sys.version_info),
        _python_version(python, parameter),
    )
    if other_version != own_version:  # pydantic's core is compiled for one version
        error_text = (
            f"{python} is Python {other_version}, but this command runs on Python {own_version}"
        )
        remedy = (
            f"In a clone of the portal: uvx --python {other_version} --from ./packages/reports "
            "--with ./packages/validation accelerator-portal …"
        )
        raise click.BadParameter(f"{error_text}. {remedy}", param=parameter)
    program = [str(python.absolute()), "-m", "accelerator_reports.cli"]
    sys.stdout.flush()
    os.execve(  # noqa: S606 - no shell is wanted
        program[0],
        [*program, *without_python_option(sys.argv[1:])],
        environment_for_python(os.environ),
    )


def _python_version(python: Path, parameter: click.Parameter) -> str:
    try:
        process = subprocess.run(
            [python.absolute(), "-c", _VERSION_CODE],
            capture_output=True,
            text=True,
            check=True,
            timeout=_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError):
        raise click.BadParameter(
            f"{python} doesn't run as a Python interpreter. Correct --python.", param=parameter
        ) from None
    return process.stdout.strip()


OTHER_PYTHON = click.option(
    _OPTION,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="PATH",
    is_eager=True,
    expose_value=False,
    callback=_restart_in_python,
    help="Run with the torch of this Python interpreter. Default: the one that runs this command.",
)
"""The option `--python`, which restarts the command in another Python interpreter.

click handles `--python` before all other options. The new process reads these other options.
"""
