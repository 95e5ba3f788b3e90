"""Random operators are checked by statistics that a correct generator meets, and a wrong one not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from accelerator_validation.case import MismatchError
from accelerator_validation.suites.random_checks import (
    LAWS,
    NUMBERS,
    Range,
    check_law,
    check_random,
)

SEEDS = range(3)


@pytest.mark.parametrize("name", LAWS)
def test_the_generator_of_the_cpu_meets_each_law(name: str) -> None:
    for seed in SEEDS:
        assert sum(1 for _ in check_random(name, "cpu", seed)) == len(LAWS[name])


WRONG: dict[str, tuple[str, Callable[[], torch.Tensor]]] = {
    "a constant": ("uniform", lambda: torch.ones(NUMBERS)),
    "a range that is too long": ("randint", lambda: torch.randint(0, 11, (NUMBERS,))),
    "a range that is too short": ("randint", lambda: torch.randint(0, 9, (NUMBERS,))),
    "another deviation": ("normal", lambda: torch.randn(NUMBERS) * 2.1 + 1),
    "another mean": ("randn", lambda: torch.randn(NUMBERS) + 0.05),
    "another probability": ("bernoulli", lambda: 1.0 * (torch.rand(NUMBERS) < 0.33)),
    "no scale": ("nn.functional.dropout", lambda: 1.0 * (torch.rand(NUMBERS) > 0.3)),
    "each number twice": ("rand_like", lambda: torch.rand(NUMBERS // 2).repeat_interleave(2)),
    "each tile alike": ("rand_like", lambda: torch.rand(4096).repeat(25)[:NUMBERS]),
    "two halves alike": ("bernoulli", lambda: 1.0 * (torch.rand(49_000) < 0.3).repeat(2)),
    "not a number": (
        "rand_like",
        lambda: torch.rand(NUMBERS).index_fill(0, torch.tensor(7), torch.nan),
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_numbers_are_noticed(what: str) -> None:
    name, draw = WRONG[what]
    for seed in SEEDS:
        torch.manual_seed(seed)
        with pytest.raises(MismatchError):
            check_law(draw().double(), LAWS[name][0][2], what)


def test_wrong_numbers_are_told_before_a_seed_that_is_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(LAWS, "wrong", (("ones", lambda _: torch.ones(9), Range(0, 1)),))
    with pytest.raises(MismatchError, match="ones: numbers are not from 0 to below 1"):
        list(check_random("wrong", "cpu", 0))


def test_a_permutation_has_each_number_once() -> None:
    law = next(law for what, _, law in LAWS["randint"] if what == "randperm")
    with pytest.raises(MismatchError, match="come again"):
        check_law(torch.randint(NUMBERS, (NUMBERS,)).double(), law, "randperm")


def test_poisson_s_law_is_its_rate_s_alone() -> None:
    law = next(law for what, _, law in LAWS["exponential"] if what == "poisson(3)")
    torch.manual_seed(0)
    check_law(torch.poisson(torch.full((NUMBERS,), 3.0)).double(), law, "poisson(3)")
    with pytest.raises(MismatchError, match="distribution is off"):
        check_law(torch.poisson(torch.full((NUMBERS,), 3.1)).double(), law, "poisson(3)")


class _Device(TorchDispatchMode):  # type: ignore[misc] # torch is not installed beside mypy
    """A device whose random functions misuse a generator of one's own."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self._fault = fault

    def __torch_dispatch__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> object:
        kwargs = dict(kwargs or {})
        generator = kwargs.get("generator")
        if generator is None:
            return func(*args, **kwargs)
        state = generator.get_state()
        if self._fault == "ignored":
            kwargs["generator"] = None
        result = func(*args, **kwargs)
        if self._fault == "not advanced":
            generator.set_state(state)
        return result


@pytest.mark.parametrize(
    ("fault", "words"),
    [("not advanced", "same numbers again"), ("ignored", "changes the default generator")],
)
def test_a_generator_that_is_given_must_be_used(fault: str, words: str) -> None:
    with _Device(fault), pytest.raises(MismatchError, match=words):
        list(check_random("exponential", "cpu", 1))
