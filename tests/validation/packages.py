"""Packages of one module, installed into a folder as pip would: the module and its entry point."""

from __future__ import annotations

from pathlib import Path


def install_entry_point(site: Path, package: str, group: str, line: str, text: str) -> None:
    """Write a module and what pip would write of its distribution."""
    (site / f"{package}.py").write_text(text, "utf-8")
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
    (info / "METADATA").write_text(head, "utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\n{line}\n", "utf-8")
