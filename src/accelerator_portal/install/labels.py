"""What readers see for the values of the axes, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Iterable

OS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
ARCH = {
    "x86_64": "x86-64",
    "aarch64": "ARM64",
    "s390x": "s390x",
    "ppc64le": "ppc64le",
    "riscv64": "RISC-V",
}
METHOD = {
    "pip": "pip",
    "uv": "uv",
    "docker": "Docker",
    "source": "Source",
    "libtorch": "LibTorch",
}


def python_order(versions: Iterable[str]) -> list[str]:
    """Return Python versions, the newest first; free-threaded builds after all others."""

    def order(python: str) -> tuple[bool, int]:
        return python.endswith("t"), -int(python.removeprefix("3.").removesuffix("t"))

    return sorted(versions, key=order)
