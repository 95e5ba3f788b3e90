"""Folder trees from `{path: text}`, and a small valid repository to start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.checks import errors, load_and_check
from tests.day import TODAY

REPOSITORY = Path(__file__).parents[1]

# Each distribution of this repository, and the folder of its pyproject.toml.
PACKAGES = {
    "accelerator-reports": REPOSITORY / "packages/reports",
    "accelerator-validation": REPOSITORY / "packages/validation",
    "accelerator-portal": REPOSITORY,
    "accelerator-automation": REPOSITORY / "packages/automation",
}

RELEASES = "data/releases.yaml"
SELECTOR = "data/selector.yaml"
ACCELERATOR = "accelerators/example/accelerator.yaml"
INSTALL = "accelerators/example/install.yaml"
COMPATIBILITY = "accelerators/example/compatibility.yaml"
GUIDE = "accelerators/example/guide.md"
FAQ = "accelerators/example/faq.md"

SOURCES = """\
sources:
  made-up:
    url: https://example.org/made-up
    title: Example data, made up for the tests
    read: 2026-01-02
"""

START_WINDOWS = '  - {os: windows, arch: x86_64, python: "3.12", method: pip, platform: example}\n'

# Example data: neither the platform nor the releases exist.
EXAMPLE: Mapping[str, str] = {
    RELEASES: f"""\
{SOURCES}\
preview:
  python: ["3.12", "3.13"]
  wheels:
    - {{variant: ex2, os: linux, arch: [x86_64]}}
  source: made-up
releases:
  - version: "1.10.0"
    date: 2026-01-01
    python: ["3.12", "3.13", "3.13t"]
    torchvision: "0.10.0"
    wheels:
      - {{variant: ex2, os: linux, arch: [x86_64, aarch64], on: pypi}}
      - {{variant: ex1, os: linux, arch: [x86_64]}}
      - {{variant: ex1, os: windows, arch: [x86_64], python: ["3.12"]}}
    source: made-up
  - version: "1.9.1"
    date: 2025-06-01
    python: ["3.11", "3.12"]
    wheels:
      - {{variant: ex1, os: linux, arch: [x86_64]}}
    source: made-up
""",
    SELECTOR: f"""\
start:
  - {{os: linux, arch: x86_64, python: "3.13", method: pip, platform: example}}
{START_WINDOWS}\
""",
    ACCELERATOR: f"""\
{SOURCES}\
name: Example
vendor: Example Vendor
mark: EX
summary: Example data for the tests, no such hardware exists.
description: Example data for the tests.
integration: {{value: in-tree, source: made-up}}
dispatch_key: {{value: PrivateUse1, source: made-up}}
device: {{note: Made up., value: ex, source: made-up}}
package: {{name: torch-example, import: torch_example, source: made-up}}
support:
  - {{title: Example forum, url: "https://example.org/forum", source: made-up}}
""",
    INSTALL: f"""\
{SOURCES}\
variants:
  - {{id: ex2, name: Example 2, version: "2.0"}}
  - id: ex1
    name: Example 1
    requires:
      - {{name: Example driver, version: ">=5", os: [linux], source: made-up}}
checks:
  python:
    code: |
      import torch
      print(torch.ones(1, 1).mm(torch.ones(1, 1)).item())
    prints: |
      {{torch}}+{{variant}}
    source: made-up
options:
  - id: wheels
    wheels: "ex*"
    methods: [pip, uv]
    steps:
      - pip: {{packages: ["torch=={{torch}}"], index: "{{index}}"}}
    check: python
    source: made-up
  - id: nightly
    channel: preview
    wheels: "ex*"
    methods: [pip]
    steps:
      - pip: {{packages: [torch], index: "{{index}}", pre: true}}
    check: python
    source: made-up
  - id: image
    torch: ">=1.10"
    methods: [docker]
    os: [linux]
    arch: [x86_64]
    variants: [ex2]
    steps:
      - docker: {{image: "example/torch:{{torch}}-{{variant_version}}"}}
    source: made-up
""",
    COMPATIBILITY: f"""\
{SOURCES}\
rows:
  - {{torch: "1.10.0", variant: ex2, source: made-up}}
  - {{torch: "1.9.1", variant: ex1, lifecycle: {{status: ended}}, source: made-up}}
""",
    GUIDE: f"""\
---
{SOURCES}\
---

## Prepare

This is example data [@made-up].

## Install

Nothing.

## Start

Nothing.

## Deploy

Nothing.

## Help

Nothing.
""",
    FAQ: f"""\
---
{SOURCES}\
---

## Does it exist?

No, it is example data [@made-up].
""",
}

# The issue forms of this repository, which `new` and `owners` need.
FORMS: Mapping[str, str] = {
    f".github/ISSUE_TEMPLATE/{name}.yml": (
        REPOSITORY / f".github/ISSUE_TEMPLATE/{name}.yml"
    ).read_text("utf-8")
    for name in ("wrong-fact", "command-fails")
}

Edit = tuple[str, str, str]
Tree = Callable[[Mapping[str, str | bytes]], Path]
ProblemsAfter = Callable[..., list[str]]


def edited(*edits: Edit, files: Mapping[str, str] = EXAMPLE) -> dict[str, str]:
    """Return the files after edits (path, old, new); `old` must stand there once."""
    result = dict(files)
    for path, old, new in edits:
        assert result[path].count(old) == 1, f"{old!r} in {path}"
        result[path] = result[path].replace(old, new)
    return result


def copied(folder: str, *edits: Edit) -> dict[str, str]:
    """Return the files of the example's folder after edits, as another platform's, named Other."""
    named = {
        **EXAMPLE,
        ACCELERATOR: EXAMPLE[ACCELERATOR].replace("name: Example\n", "name: Other\n"),
    }
    return {
        path.replace("/example/", f"/{folder}/"): text
        for path, text in edited(*edits, files=named).items()
        if path.startswith("accelerators/")
    }


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write each file below `root`, byte for byte."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def read_tree(root: Path) -> dict[str, str]:
    """Return the texts of all files below a folder by path, the reverse of `write_tree`."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in files}


def problems_in(root: Path) -> list[str]:
    """Return every problem of the repository at `root`, as it is printed."""
    return [str(problem) for problem in load_and_check(root, TODAY)[1]]


def loaded(root: Path) -> Catalog:
    """Return the catalogue of a repository without errors."""
    catalog, problems = load_and_check(root, TODAY)
    assert catalog is not None
    assert errors(problems) == []
    return catalog


def real_files(*folders: str) -> dict[str, str]:
    """Return this repository's shared data and the named platforms' folders, without reports."""
    places = [*REPOSITORY.glob("data/*.yaml")]
    for folder in folders:
        places += (f for f in (REPOSITORY / "accelerators" / folder).iterdir() if f.is_file())
    return {
        place.relative_to(REPOSITORY).as_posix(): place.read_text(encoding="utf-8")
        for place in places
    }
