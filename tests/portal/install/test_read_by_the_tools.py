"""pip and uv themselves read every command that the portal writes for Linux."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from packaging.requirements import Requirement
from pip._internal.commands import create_command  # the tool's own parser, and no other
from uv import find_uv_bin

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.commands import UV_BACKENDS, uv_backend
from accelerator_portal.install.expand import expand

PIP = ["python3", "-m", "pip", "install"]
UV = ["uv", "pip", "install"]


def commands(catalog: Catalog, start: list[str]) -> Iterator[list[str]]:
    """The arguments of each command that begins so, once each."""
    seen: set[str] = set()
    for row in expand(catalog)[0]:
        for line in row.commands if row.os == "linux" else ():
            words = shlex.split(line)
            if words[: len(start)] == start and line not in seen:
                seen.add(line)
                yield words[len(start) :]


def test_pip_reads_every_command(catalog: Catalog) -> None:
    found = list(commands(catalog, PIP))
    assert len(found) > 50
    for words in found:
        options, packages = create_command("install").parse_args(words)
        assert options.index_url.startswith("https://")
        for package in packages:
            if not package.startswith("./"):
                Requirement(package)


def test_uv_reads_every_command(catalog: Catalog) -> None:
    """Read, and then refused for want of a network: what cannot be read says something else."""
    found = list(commands(catalog, UV))
    assert len(found) > 50
    with ThreadPoolExecutor(4) as pool:
        for words, said in zip(found, pool.map(_uv, found), strict=True):
            assert "error: invalid value" not in said, words
            assert "error: unexpected argument" not in said, words
            assert "Failed to parse" not in said, words


def test_what_uv_cannot_read_would_be_noticed() -> None:
    assert "error: unexpected argument" in _uv(["--no-such-option", "torch"])
    assert "error: invalid value" in _uv(["torch", "--torch-backend=nonsense"])
    assert "Failed to parse" in _uv(["torch=="])


def _uv(words: list[str]) -> str:
    command = [find_uv_bin(), "pip", "install", "--dry-run", "--offline", "--no-config", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stderr


def test_every_build_that_is_named_is_known_to_uv() -> None:
    done = subprocess.run(
        [find_uv_bin(), "pip", "install", "--help"], capture_output=True, text=True, check=True
    )
    listed = re.search(r"UV_TORCH_BACKEND=\] \[possible\s+values:([^\]]+)\]", done.stdout)
    assert listed
    assert set(re.split(r"[,\s]+", listed[1].strip())) >= UV_BACKENDS


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://download.pytorch.org/whl/cu126", "cu126"),
        ("https://download.pytorch.org/whl/nightly/cu126", None),
        ("https://download.pytorch.org/whl/rocm7.14", None),
        ("https://example.org/whl/cu126", None),
        (None, None),
    ],
)
def test_only_builds_that_uv_knows_have_a_name(address: str | None, name: str | None) -> None:
    assert uv_backend(address) == name
