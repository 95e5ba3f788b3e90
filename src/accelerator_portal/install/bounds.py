"""The oldest version that a requirement in words admits."""

from __future__ import annotations

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

_LOWER = {">=", "==", "~="}


def lower_bound(text: str) -> Version | None:
    """Return the oldest version that `>=8.0`, `==8.0` or `8.0` admits; None where it is words."""
    try:
        return Version(text)
    except InvalidVersion:
        pass
    try:
        bounds = [Version(s.version) for s in SpecifierSet(text) if s.operator in _LOWER]
    except (InvalidSpecifier, InvalidVersion):
        return None
    return max(bounds, default=None)
