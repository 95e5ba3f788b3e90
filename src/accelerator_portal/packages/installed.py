"""Packages that count as installed: wheels with a name and a version, and nothing else.

uv resolves for an environment that does not exist. What an earlier command would have installed is
put before it as such a wheel (binary distribution format, PyPA specifications).
"""

from __future__ import annotations

import zipfile
from pathlib import Path

_WHEEL = (
    "Wheel-Version: 1.0\nGenerator: accelerator-portal\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
)


def write_installed(folder: Path, name: str, version: str) -> Path:
    """Write the wheel of a package into `folder`; raises OSError."""
    bare = name.replace("-", "_")
    path = folder / f"{bare}-{version}-py3-none-any.whl"
    inside = f"{bare}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(
            f"{inside}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        wheel.writestr(f"{inside}/WHEEL", _WHEEL)
        wheel.writestr(f"{inside}/RECORD", "")
    return path
