"""Computes the key that identifies a test in all reports, from its suite, name and parameters.

`torchbench/hf_Bert?compiler=inductor&dtype=float32&mode=inference` is such a key. Its parameters
are in the order of their names. Characters that could be mistaken for separators are
percent-encoded, as in a URL. Hardware is never part of a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote, unquote

from accelerator_reports.report import Scalar, TestEntry

# Parameters that are set for a whole run of a suite. Others (shapes, recipe) differ by test.
SETTINGS = frozenset({"compiler", "dtype", "dynamic", "freezing", "max_autotune", "mode"})

# Characters that are not encoded, because names of pytest, of models and of shapes contain them.
_SAFE_CHARACTERS = "/:[](),+*@!;"

Parameters = tuple[tuple[str, str], ...]


class UnreadableKeyError(ValueError):
    """Raised if a text is not a valid test key; the message quotes the text."""


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """A test regardless of hardware: its suite, name and parameters.

    `parameters` are pairs of a name and a value as text, sorted by name.
    """

    suite: str
    name: str
    parameters: Parameters = ()

    @property
    def key(self) -> str:
        """The test's key: `torchbench/hf_Bert?compiler=inductor&mode=inference`, in ASCII."""
        name = quote(self.name, _SAFE_CHARACTERS)
        return f"{_cached_quote(self.suite, '')}/{name}{_query_string(self.parameters)}"

    @property
    def group(self) -> str:
        """The suite and the test's settings: `torchbench?compiler=inductor&mode=inference`.

        Settings are the parameters that are the same for a whole run of a suite (see `SETTINGS`).
        """
        return group_name(self.suite, self.parameters)


IdentityValues: TypeAlias = tuple[str, str, Parameters]
"""The values of an `Identity`, which are made and compared faster than the object."""


def identity_of(test: TestEntry) -> Identity:
    """Return the identity of a test. Numbers and booleans become text: 8 becomes "8"."""
    return Identity(*identity_values(test))


def identity_values(test: TestEntry) -> IdentityValues:
    """Return the suite, the name and the parameters of the identity of a test."""
    return test.suite, test.name, parameters_of(test.parameters)


def parameters_of(parameters: Mapping[str, Scalar]) -> Parameters:
    """Return parameters as pairs of a name and a value as text, sorted by name."""
    if not parameters:  # as most tests of a large report
        return ()
    return tuple(sorted([(name, _parameter_text(value)) for name, value in parameters.items()]))


# A history is read by several pages, each of which parses the keys of all its tests.
@lru_cache(maxsize=1 << 17)
def parse_key(key: str) -> Identity:
    """Return the identity with this key. Raises UnreadableKeyError if the key is invalid."""
    path, question_mark, query = key.partition("?")
    suite, _, name = path.partition("/")
    pairs = (pair.partition("=") for pair in (query.split("&") if question_mark else ()))
    parameters = tuple((unquote(key), unquote(value)) for key, _, value in pairs)
    identity = Identity(unquote(suite), unquote(name), parameters)
    if not (identity.suite and identity.name) or identity.key != key:
        raise UnreadableKeyError(f'"{key[:200]}" is not a valid test key')
    return identity


def _parameter_text(value: Scalar) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


# A report of 100,000 tests has a handful of suites and settings: each is put together once.
@lru_cache(maxsize=4096)
def _cached_quote(text: str, safe: str) -> str:
    return quote(text, safe)


@lru_cache(maxsize=4096)
def _query_string(parameters: Parameters) -> str:
    pairs = (
        f"{quote(name, '')}={quote(value, _SAFE_CHARACTERS)}" for name, value in sorted(parameters)
    )
    return "?" + "&".join(pairs) if parameters else ""


@lru_cache(maxsize=4096)
def group_name(suite: str, parameters: Parameters) -> str:
    """Return the group of tests in a suite with these parameters, see `Identity.group`."""
    settings = tuple(pair for pair in parameters if pair[0] in SETTINGS)
    return f"{_cached_quote(suite, '')}{_query_string(settings)}"
