"""Caches results of functions as long as their first argument exists, for example a catalog."""

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
    """Return `function` with a separate cache for each owner, which is its first argument.

    For example, the owner is a catalog, and rules and pages need the same values from it. The owner
    must be immutable and compared by identity. Its cached results are deleted together with it. A
    result must not refer to the owner: such a reference would prevent the deletion of both. Calls
    with positional and with keyword arguments are cached separately.
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
