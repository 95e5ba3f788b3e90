"""Commands can't install a package that somebody else uploaded under the same name.

If a command uses an extra index, pip installs the highest version from PyPI and that index. Anybody
can register a name on PyPI that only the vendor's index has. A name that differs by one letter from
a well-known package is usually a typing error, and such names are often registered.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.install_steps import package_name

LEVEL = "warning"

_WELL_KNOWN = ("numpy", "torch", "torchaudio", "torchvision", "triton")


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield packages that may be another's."""
    known = {canonicalize_name(p.accelerator.package.name) for p in catalog.platforms}
    for platform in catalog.platforms:
        for place, option in enumerate(platform.install.options):
            for number, step in enumerate(option.steps):
                for item, package in enumerate(step.pip.packages if step.pip else ()):
                    name = canonicalize_name(package_name(package))
                    location = ("options", place, "steps", number, "pip", "packages", item)
                    near = next((word for word in _WELL_KNOWN if _is_near(name, word)), None)
                    if near and name not in known:
                        what = f'"{name}" differs by one letter from "{near}"'
                        remedy = f'write "{near}" if that is meant'
                        yield platform.problem("install.yaml", location, what, remedy)
                    if step.pip and step.pip.extra_index and not _on_pypi(catalog, name):
                        what = f'because of extra_index, anybody could register "{name}" on PyPI'
                        remedy = "use index if that index has all packages, or register the name"
                        yield platform.problem("install.yaml", location, what, remedy)


def _on_pypi(catalog: Catalog, name: str) -> bool:
    """Whether the name is taken there. What nobody has looked up yet counts as taken if common."""
    facts = catalog.packages.get(name)
    found = facts.on("pypi") if facts else None
    return bool(found.releases) if found else name in _WELL_KNOWN


def _is_near(name: str, word: str) -> bool:
    """Whether one letter more, less, other or exchanged with the next makes `word` of `name`."""
    if name == word or abs(len(name) - len(word)) > 1:
        return False
    start = 0
    while start < min(len(name), len(word)) and name[start] == word[start]:
        start += 1
    a, b = name[start:], word[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
