"""Makes English texts that pages can show in another language, from messages and values.

A message is a whole sentence or label with named placeholders, such as `{name} is outdated`. It is
never a part of a sentence, because the order of parts differs between languages. A text is made
from a message by replacing the placeholders, and keeps the message and the values for the
translation. `make messages` finds the calls of `message` and `plural`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class Translatable(str):
    """An English text, with its message and the values of the placeholders for the translation.

    `forms` contains one message, or the singular and the plural form of a message. `number` selects
    one of the two forms.
    """

    __slots__ = ("forms", "number", "values")

    forms: tuple[str, ...]
    values: Mapping[str, object]
    number: int
    """The number that selects the singular or plural message."""

    def __new__(
        cls,
        text: str,
        forms: tuple[str, ...] = (),
        values: Mapping[str, object] | None = None,
        number: int = 1,
    ) -> Self:
        """Return a translatable text. If `forms` is empty, the text itself is the message."""
        instance = super().__new__(cls, text)
        instance.forms = forms or (text,)
        instance.values = values or {}
        instance.number = number
        return instance


def message(text: str, **values: object) -> Translatable:
    """Return a message in which each placeholder `{name}` is replaced by its value.

    A value may be a message, too.
    """
    return Translatable(text.format(**values) if values else text, (text,), values)


def translatable(text: str) -> Translatable:
    """Return a text as a message. The text of a vendor is itself the message."""
    return text if isinstance(text, Translatable) else Translatable(text)


def plural(one: str, many: str, number: int, **values: object) -> Translatable:
    """Return the message `one` if `number` is 1, else `many`, with its placeholders replaced.

    `{count}` is replaced by the number, and other placeholders by `values`.
    """
    values |= {"count": f"{number:,}"}
    text = (one if number == 1 else many).format(**values)
    return Translatable(text, (one, many), values, number)


def comma_list(texts: Iterable[str]) -> str:
    """Return names or short texts (at least one), joined by commas: `a, b`."""
    return reduce(lambda one, other: message("{one}, {other}", one=one, other=other), texts)


def semicolon_list(texts: Iterable[str]) -> str:
    """Return clauses (at least one), joined by semicolons: `a; b`."""
    return reduce(lambda one, other: message("{one}; {other}", one=one, other=other), texts)


def join_sentences(texts: Iterable[str]) -> str:
    """Return whole sentences (at least one), joined by spaces."""
    return reduce(lambda one, other: message("{one} {other}", one=one, other=other), texts)


def or_list(texts: Iterable[str]) -> str:
    """Return names (at least one) with "or" between them: `a or b`."""
    return reduce(lambda one, other: message("{one} or {other}", one=one, other=other), texts)


def and_list(texts: Iterable[str]) -> str:
    """Return names (at least one) with "and" between them: `a and b`."""
    return reduce(lambda one, other: message("{one} and {other}", one=one, other=other), texts)
