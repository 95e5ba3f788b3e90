"""Wheels of this repository's packages, and an environment in which only they are installed."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from pathlib import Path

from tests.folders import PACKAGES

_PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def build_wheels(folder: Path, names: Iterable[str] = PACKAGES) -> list[Path]:
    """Build the wheels of these packages as `make wheels` does."""
    for name in names:
        words = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
        subprocess.run([*_PIP, *words, str(PACKAGES[name])], check=True)
    return sorted(folder.glob("*.whl"))


def environment_with(name: str, wheels: Path, place: Path) -> Path:
    """Return the Python of a new environment with a package from a folder of wheels.

    It also has what is installed here, except the packages of this repository. pip asks no index.
    """
    others = place / "others"
    others.mkdir(parents=True)
    own = tuple(package.replace("-", "_") for package in PACKAGES)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.removeprefix("_").startswith(own):
            (others / entry.name).symlink_to(entry)
    venv.create(place / "env")
    (site,) = place.glob("env/lib/python*/site-packages")
    (site / "others.pth").write_text(f"{others}\n", "utf-8")
    python = place / "env/bin/python"
    words = ["--python", str(python), "install", "--no-index", "--find-links", str(wheels), name]
    subprocess.run([*_PIP, *words], check=True, cwd=place)
    return python
