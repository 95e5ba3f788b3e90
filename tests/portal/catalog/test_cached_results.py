"""What is kept with a value: computed once, told apart by its other arguments, and gone with it."""

from __future__ import annotations

import gc
import weakref

import pytest

from accelerator_portal.catalog.grouping import cached_by_owner


class _Owner:
    """Compared by identity."""


class _Result:
    """Something that can be referred to weakly."""


def test_is_computed_once_for_each_owner_and_argument() -> None:
    calls: list[tuple[_Owner, int]] = []

    @cached_by_owner
    def double(owner: _Owner, number: int) -> int:
        calls.append((owner, number))
        return 2 * number

    one, other = _Owner(), _Owner()
    assert [double(one, 3), double(one, 3), double(one, 4), double(other, 3)] == [6, 6, 8, 6]
    assert calls == [(one, 3), (one, 4), (other, 3)]


def test_a_failure_is_not_kept() -> None:
    fails = [True]

    @cached_by_owner
    def once(_owner: _Owner) -> str:
        if fails:
            fails.clear()
            raise ValueError("not yet")
        return "fine"

    owner = _Owner()
    with pytest.raises(ValueError, match="not yet"):
        once(owner)
    assert once(owner) == "fine"


def test_is_gone_with_its_owner() -> None:
    @cached_by_owner
    def result(_owner: _Owner) -> _Result:
        return _Result()

    owner = _Owner()
    watched = weakref.ref(result(owner))
    assert watched() is result(owner)
    del owner
    gc.collect()
    assert watched() is None
