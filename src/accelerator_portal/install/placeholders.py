"""`{torch}`, `{variant}` and the like in what vendors write, and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping

NAMES = frozenset(
    {"torch", "torchvision", "variant", "variant_version", "plugin", "index", "python"}
)

_FIELD = re.compile(r"\{([^{}]*)\}")


class UnknownPlaceholderError(LookupError):
    """A placeholder that does not exist, or that has no value for the row at hand."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    @property
    def exists(self) -> bool:
        """Whether it is a placeholder at all, and only lacks a value here."""
        return self.name in NAMES


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace each `{name}`; raise UnknownPlaceholderError for one without a value."""

    def value(match: re.Match[str]) -> str:
        if match.group(1) not in values:
            raise UnknownPlaceholderError(match.group(1))
        return values[match.group(1)]

    return _FIELD.sub(value, text)
