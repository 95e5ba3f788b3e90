"""Lists the labels of operating systems, architectures and formats in the install selector."""

from __future__ import annotations

from collections.abc import Iterable

from accelerator_portal.catalog.message import message

OS_LABELS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
ARCH_LABELS = {
    "x86_64": "x86-64",
    "aarch64": "ARM64",
    "s390x": "s390x",
    "ppc64le": "ppc64le",
    "riscv64": "RISC-V",
}
# In the order of the tabs on the command box.
METHOD_LABELS = {
    "pip": "pip",
    "uv": "uv",
    "uv-auto": message("uv (detect GPU)"),
    "pyproject": "pyproject.toml",
    "requirements": "requirements.txt",
    "conda": "conda",
    "docker": "Docker",
    "dockerfile": "Dockerfile",
    "libtorch": "LibTorch",
    "source": message("Source"),
}


def pythons_newest_first(versions: Iterable[str]) -> list[str]:
    """Return Python versions newest first, with free-threaded builds after all others."""

    def order(python: str) -> tuple[bool, int]:
        return python.endswith("t"), -int(python.removeprefix("3.").removesuffix("t"))

    return sorted(versions, key=order)
