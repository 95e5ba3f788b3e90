"""Finds packages that suites import and the environment lacks, before anything runs.

The harness is installed beside a plugin and brings neither torch nor a library of models. What is
missing is named together with commands that install it and leave all other packages as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec

from accelerator_portal.catalog.wording import install_command
from accelerator_portal.validation.matrix import Matrix

IsInstalled = Callable[[str], bool]

# pip then chooses versions that fit what is there, or says which package does not.
_INSTALL = """Install them without changing any other package:
  pip list --format=freeze > installed.txt
  pip install --constraint installed.txt {}"""


def is_installed(module: str) -> bool:
    """Whether a module can be imported here, without importing it."""
    return find_spec(module) is not None


def missing_packages(
    matrices: Mapping[str, Matrix], installed: IsInstalled = is_installed
) -> dict[str, tuple[str, ...]]:
    """Return the packages that each suite lacks; no entry for a suite that lacks none."""
    lacks = {
        suite: tuple(package for package in matrix.packages if not installed(package))
        for suite, matrix in matrices.items()
    }
    return {suite: packages for suite, packages in lacks.items() if packages}


def missing_words(lacks: Mapping[str, Iterable[str]], suites: Iterable[str]) -> str:
    """Say which suites lack what, how to install it, and which of the suites run without."""
    needs = [_need(suite, names) for suite, names in lacks.items()]
    packages = sorted({name for names in lacks.values() for name in names})
    what = f"{'; '.join(needs)}, not installed for {sys.executable}."
    words = [f"{what[0].upper()}{what[1:]}", _INSTALL.format(" ".join(packages))]
    if able := [suite for suite in suites if suite not in lacks]:
        words.append(f"Or run suites that don't need them: --suite {' --suite '.join(able)}")
    return "\n".join(words)


def _need(suite: str, packages: Iterable[str]) -> str:
    return f'the suite "{suite}" needs {" and ".join(packages)}'


def no_torch_words() -> str:
    """Say that there is no torch, and where the harness belongs."""
    return (
        f"PyTorch is not installed for {sys.executable}. Activate the environment that has torch "
        f"and your plugin and run, in a clone of the portal: {install_command()}\n"
        "Or name the Python of that environment with --python"
    )
