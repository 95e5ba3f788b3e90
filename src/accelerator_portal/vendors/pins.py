"""What pip steps install, and the versions that they pin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name


def requirements(steps: Iterable[Mapping[str, Any]]) -> Iterator[Requirement]:
    """Yield what pip steps install."""
    for step in steps:
        yield from map(Requirement, step["pip"]["packages"])


def pinned(steps: Iterable[Mapping[str, Any]], name: str) -> str | None:
    """Return the version of a package that the steps pin."""
    wanted = canonicalize_name(name)
    own = (r.specifier for r in requirements(steps) if canonicalize_name(r.name) == wanted)
    return next(filter(None, map(exact_version, own)), None)


def exact_version(specifier: SpecifierSet) -> str | None:
    """Return the one version that a specifier pins with `==` or `===`."""
    pins = [s.version for s in specifier if s.operator in {"==", "==="}]
    return pins[0] if len(pins) == 1 and "*" not in pins[0] else None
