"""Results that are computed once for a value and kept as long as that value is in use."""

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
    """Compute `function` once for each first argument and for what follows it.

    Rules and pages ask for the same things of one catalog. What is kept is gone with the first
    argument, which must be compared by identity and never change; a result must not refer to it.
    Arguments are told apart by place and by value.
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
