"""Finds names that look alike, and names with letters that look like Latin letters.

The functions follow Unicode Technical Standard 39, Security Mechanisms, as far as Python's Unicode
data allows. From the standard's table of confusable letters, they use only letters that ids may
contain.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from accelerator_portal.catalog import Platform

# Alphabets with letters that look like letters of another alphabet.
_LOOK_ALIKE_ALPHABETS = frozenset(
    {"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"}
)

_NON_ASCII_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*")
# The Greek letter for "micro" in a unit, as in `5μs`. It looks like no Latin letter.
_MICRO = re.compile(r"\u03bc(?=[AFJVWgms](?![A-Za-z]))")
_LOOK_ALIKE_LETTERS = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})


def alphabet_faults(text: str) -> Iterator[str]:
    """Yield a message for each word that mixes look-alike alphabets, such as Latin and Cyrillic."""
    for word in _NON_ASCII_WORD.findall(text):
        alphabets = sorted(_alphabets(_MICRO.sub("", word)) & _LOOK_ALIKE_ALPHABETS)
        if len(alphabets) > 1:
            alphabet_names = " and ".join(alphabet.capitalize() for alphabet in alphabets)
            yield f'"{word[:60]}" has {alphabet_names} letters in one word'


def name_fault(name: str) -> tuple[str, str] | None:
    """Return what is wrong with the letters of a name, and the fix; None if they are valid."""
    others = _alphabets(name) & _LOOK_ALIKE_ALPHABETS - {"LATIN"}
    if others or unicodedata.normalize("NFKC", name) != name:
        what = f'the name "{name}" has letters that look like Latin letters'
        return what, "write it in Latin letters"
    return None


def claimed_fault(kind: str, name: str, first: Platform) -> tuple[str, str]:
    """Return the error and the fix for a name that already belongs to the platform `first`.

    `kind` says what the name is: `id`, `name` or `package`.
    """
    what = f'the {kind} "{name}" is already claimed by {first.path("accelerator.yaml")}'
    remedy = "use a different one, or merge the two folders"
    if kind == "package":
        remedy += "; if the vendors share the package name, set package.shared_name in both"
    return what, remedy


def skeleton(name: str) -> str:
    """Return a key that is equal for names that look alike, such as `R0Cm` and `roc-m`."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(_LOOK_ALIKE_LETTERS)
    letters = "".join(c for c in plain if c.isalnum())
    return letters.replace("rn", "m").replace("vv", "w")


def _alphabets(text: str) -> frozenset[str]:
    """Return the alphabets of a text, such as `LATIN`, from the Unicode names of its letters."""
    letters = (letter for letter in text if letter.isalpha())
    return frozenset(unicodedata.name(letter, "?").split()[0] for letter in letters)
