"""Fills the placeholders in the steps of install options, such as `{torch}`."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACEHOLDER_NAMES = frozenset(
    {"torch", "torchvision", "variant", "variant_version", "plugin", "index", "python"}
)

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class UnknownPlaceholderError(LookupError):
    """Raised if a placeholder in a step is unknown, or has no value for the install row."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with each placeholder such as `{torch}` replaced by its value.

    `values` maps names of placeholders to values. Raises UnknownPlaceholderError for a placeholder
    that `values` lacks.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise UnknownPlaceholderError(match[1])
        return values[match[1]]

    return _PLACEHOLDER.sub(value, text)
