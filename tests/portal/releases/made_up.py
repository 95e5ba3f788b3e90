"""A release 2.16.0 of torch, made up, on indexes on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX
from accelerator_portal.releases.published_builds import QueryOptions
from tests.folders import real_files
from tests.portal.packages.loopback import Index, served
from tests.portal.packages.syncing import FAST

VERSION = "2.16.0"
CPU = f"{PYTORCH_INDEX}/cpu"

FILES = real_files("cpu", "cuda")
"""The shared data and two folders whose options name indexes of PyTorch's."""

LINUX, ARM, WINDOWS, MACOS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_28_aarch64",
    "win_amd64",
    "macosx_14_0_arm64",
)
CUDA = 'cuda-toolkit[cublas]==13.2.2; platform_system == "Linux"'


SIZES = {LINUX: 539_136_850, ARM: 483_605_887}


def tags(platform: str, *pythons: str) -> list[str]:
    return [f"{python}-{python}-{platform}" for python in pythons]


@dataclass
class Indexes:
    """PyPI, the index of CPU builds, the index of all builds, and one that has no package."""

    pypi: Index
    cpu: Index
    all_builds: Index
    empty: Index

    def address_of(self, index: str) -> str:
        """Return the address on loopback that stands for an index."""
        found = {PYPI: self.pypi, CPU: self.cpu, PYTORCH_INDEX: self.all_builds}
        return found.get(index, self.empty).url

    @property
    def options(self) -> QueryOptions:
        """What tells the command where the indexes are."""
        return QueryOptions(FAST, self.address_of)


@contextmanager
def made_up_indexes() -> Iterator[Indexes]:
    pypi, cpu, all_builds, empty = Index(), Index(), Index(), Index()
    pythons = ("cp312", "cp313")
    for platform in (LINUX, ARM):
        files = tags(platform, *pythons)
        size = SIZES[platform]
        pypi.add("torch", VERSION, *files, requires=[CUDA], uploaded=DAY, size=size)
    for platform in (WINDOWS, MACOS):
        pypi.add("torch", VERSION, *tags(platform, *pythons), uploaded=DAY)
    pypi.add("torchvision", "0.31.0", *tags(LINUX, *pythons), requires=[f"torch=={VERSION}"])
    cpu.add("torch", f"{VERSION}+cpu", *tags(LINUX, *pythons))
    cpu.add("torch", f"{VERSION}+cpu", *tags(WINDOWS, *pythons))
    cpu.add("torch", VERSION, *tags(MACOS, *pythons))
    cpu.add("torch", "2.15.0+cpu", *tags(LINUX, *pythons))
    all_builds.add("torch", f"{VERSION}+cpu", *tags(LINUX, *pythons))
    all_builds.add("torch", f"{VERSION}+cu132", *tags(WINDOWS, "cp312"))
    all_builds.add("torch", f"{VERSION}+cpu.cxx11.abi", *tags(LINUX, *pythons))
    with served(pypi), served(cpu), served(all_builds), served(empty):
        yield Indexes(pypi, cpu, all_builds, empty)


DAY = "2026-11-20T10:00:00Z"
