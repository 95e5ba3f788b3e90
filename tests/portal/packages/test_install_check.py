"""Commands are really installed, from an index on loopback, and their check is run."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from uv import find_uv_bin

from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import CheckLine, InstallRow, PipCall
from accelerator_portal.packages.install_check import (
    InstallResult,
    install_row,
    is_for_this_machine,
)
from accelerator_portal.packages.uv_resolution import Uv
from tests.folders import EXAMPLE, Tree, loaded
from tests.packages_index import Wheel, serve

PRINTS = CheckLine("python3 -c 'import made_up; print(made_up.__version__)'", "1.0")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the check is a line for sh")


@pytest.fixture
def uv(tmp_path: Path) -> Iterator[Uv]:
    with serve(Wheel("made-up", "1.0")) as index:
        yield Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)


@pytest.fixture
def row(tree: Tree) -> InstallRow:
    found = next(row for row in expand(loaded(tree(EXAMPLE)))[0] if row.method == "pip")
    return replace(found, calls=(PipCall(("made-up",)),), check=PRINTS)


def test_what_installs_is_imported_and_checked(row: InstallRow, uv: Uv) -> None:
    assert install_row(row, uv, 300) == InstallResult(("made_up",), checked=True, output="1.0")


def test_what_prints_something_else_is_imported_only(row: InstallRow, uv: Uv) -> None:
    other = replace(row, check=replace(PRINTS, prints="2.0"))
    assert install_row(other, uv, 300) == InstallResult(("made_up",), output="1.0")
    assert install_row(replace(row, check=None), uv, 300) == InstallResult(("made_up",))


def test_what_fails_at_import_says_so(row: InstallRow, tmp_path: Path) -> None:
    with serve(Wheel("made-up", "1.0", source="import nothing_of_that_name\n")) as index:
        uv = Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)
        done = install_row(row, uv, 300)
    assert done.imported == ()
    assert "ModuleNotFoundError" in done.output


@pytest.mark.parametrize(
    "source", ["import os; os.write(1, b'\\xff')\n", "print('imported: all of it')\n"]
)
def test_what_prints_anything_at_its_import_is_imported(
    row: InstallRow, tmp_path: Path, source: str
) -> None:
    with serve(Wheel("made-up", "1.0", source=source)) as index:
        uv = Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)
        done = install_row(replace(row, check=None), uv, 300)
    assert done == InstallResult(("made_up",))


def test_what_cannot_be_installed_says_why(row: InstallRow, uv: Uv) -> None:
    done = install_row(replace(row, calls=(PipCall(("unknown",)),)), uv, 300)
    assert not done.imported
    assert "unknown" in done.output


def test_nothing_of_this_machine_is_seen(row: InstallRow, uv: Uv) -> None:
    """The portal itself is installed here, and not there."""
    seen = CheckLine("python3 -c 'import accelerator_portal'", "")
    assert not install_row(replace(row, check=seen), uv, 300).checked


def test_only_the_own_machine_can_try(row: InstallRow) -> None:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    arch = "x86_64" if platform.machine() in {"x86_64", "AMD64"} else "aarch64"
    system = "macos" if sys.platform == "darwin" else "linux"
    own = replace(row, os=system, arch=arch)  # type: ignore[arg-type]
    assert is_for_this_machine(own, python)
    assert not is_for_this_machine(own, "3.1")
    assert not is_for_this_machine(replace(own, os="windows"), python)
    other = "aarch64" if arch == "x86_64" else "x86_64"
    assert not is_for_this_machine(replace(own, arch=other), python)  # type: ignore[arg-type]
