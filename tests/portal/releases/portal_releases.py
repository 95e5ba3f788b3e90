"""Releases of the portal, made up for the comparisons with PyTorch's lists of builds."""

from __future__ import annotations

import yaml

from accelerator_portal.catalog.files.releases_file import Releases

_TEXT = """\
sources:
  made-up: {package: torch, title: made up, read: 2026-01-01}
preview:
  python: ["3.12", "3.13"]
  wheels:
    - {variant: cu132, os: linux, arch: [x86_64]}
  source: made-up
releases:
  - version: "2.9.1"
    date: 2026-01-01
    python: ["3.10", "3.11", "3.12", "3.13", "3.13t"]
    wheels:
      - {variant: cu130, os: linux, arch: [x86_64, aarch64], "on": pypi}
      - {variant: cu126, os: linux, arch: [x86_64], python: ["3.12"]}
      - {variant: rocm7.1, os: linux, arch: [x86_64]}
      - {variant: cpu, os: macos, arch: [aarch64]}
    archives:
      - {variant: cu130, os: linux, arch: [x86_64]}
    source: made-up
  - version: "2.9.0"
    date: 2025-10-01
    python: ["3.10", "3.11", "3.12", "3.13"]
    wheels:
      - {variant: cu128, os: linux, arch: [x86_64]}
    source: made-up
  - version: "2.8.0"
    date: 2025-06-01
    python: ["3.9", "3.10"]
    wheels:
      - {variant: cu126, os: linux, arch: [x86_64]}
    source: made-up
"""

RELEASES = Releases.model_validate(yaml.safe_load(_TEXT))
