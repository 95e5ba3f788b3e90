"""Groups values by a key, and caches values of an object until it is deleted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values by key, in the order of `pairs`. Each pair is a key and a value."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


# Caches the results of functions until their first argument, such as a catalog, is deleted.

Owner = TypeVar("Owner")
Rest = ParamSpec("Rest")
Returned = TypeVar("Returned")


def cached_by_owner(
    function: Callable[Concatenate[Owner, Rest], Returned],
) -> Callable[Concatenate[Owner, Rest], Returned]:
    """Return a function that caches the results of `function`.

    Each first argument, the owner, has its own cache. For example, the owner is a catalog, from
    which rules and pages need the same values. The owner must be immutable and compared by
    identity. Python deletes the cache together with the owner, unless a cached result refers to the
    owner. Calls with positional and with keyword arguments are cached separately.
    """
    results: WeakKeyDictionary[Owner, dict[object, Returned]] = WeakKeyDictionary()

    @wraps(function)
    def cached_function(owner: Owner, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Returned:
        of_owner = results.setdefault(owner, {})
        key = (args, *sorted(kwargs.items()))
        if key not in of_owner:
            of_owner[key] = function(owner, *args, **kwargs)
        return of_owner[key]

    return cached_function
