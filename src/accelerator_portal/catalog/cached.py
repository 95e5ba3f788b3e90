"""Caches what is computed from one object, such as a catalog."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Owner = TypeVar("Owner")
Rest = ParamSpec("Rest")
Returned = TypeVar("Returned")


def cached_by_owner(
    function: Callable[Concatenate[Owner, Rest], Returned],
) -> Callable[Concatenate[Owner, Rest], Returned]:
    """Return `function` with a cache for each value of its first argument, the owner.

    Rules and pages compute the same values from one catalog. An owner's results are deleted
    together with the owner, so a result must not refer to it. The owner must not change, and must
    be compared by identity. Calls with positional and with named arguments are cached separately.
    """
    results: WeakKeyDictionary[Owner, dict[object, Returned]] = WeakKeyDictionary()

    @wraps(function)
    def once(owner: Owner, /, *args: Rest.args, **named: Rest.kwargs) -> Returned:
        of_owner = results.setdefault(owner, {})
        key = (args, *sorted(named.items()))
        if key not in of_owner:
            of_owner[key] = function(owner, *args, **named)
        return of_owner[key]

    return once
