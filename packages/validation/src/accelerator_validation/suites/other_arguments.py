"""Derives samples with other numbers and flags in the arguments beside the tensors."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_leaves, tree_map

from accelerator_validation.suites.sample_placement import (
    mark_like,
    sample_values,
    with_arguments,
)

_EPSILON = 1e-3
"""Below this, a number keeps a divisor away from 0. Without it, results depend on the algorithm."""

_LONG_SCALAR = 2**24 + 1
"""An integer that float32 cannot hold."""

FAR = 23
"""An integer beyond the axes of OpInfo's samples, and no multiple of their lengths."""

_WITH_PROBABILITY = ("dropout", "scaled_dot_product_attention")
"""Parts of the names of operators whose numbers with a fraction are probabilities."""

_KEPT = frozenset({"inplace", "check_errors", "sparse", "sparse_grad", "generator", "out"})
_KEPT |= {"device", "layout", "pin_memory", "memory_format"}
"""Arguments that leave the numbers of the result alone."""

_OPTIONAL: Mapping[str, Sequence[object]] = {
    "float": (0.5, 2.0, -1.5),
    "number": (1, 2.5, -1),
    "int": (1, 2, -1),
    "bool": (True, False),
    "List[int]": ((0,), (0, 1), (-1, 0)),
    "List[float]": ((1.5, 2.5), (0.7,)),
    "ScalarType": (torch.float64, torch.float32, torch.int32, torch.int64),
}
"""Values of optional arguments, by their type in PyTorch's schemas."""


def other_arguments(info: OpInfo, sample: SampleInput) -> Iterator[tuple[str, str, SampleInput]]:
    """Yield an argument, its change, and the sample with another value of it.

    The argument may be one that the sample lacks. What PyTorch's schemas and documentation say of
    it decides which values are tried, some of which PyTorch refuses.
    """
    bounded = any(part in info.full_name for part in _WITH_PROBABILITY)
    kinds = _kinds(info.op, info.aten_name or info.name)
    given = defaults(info, sample)
    words = [*dict.fromkeys(re.findall(r"'(\w+)'", getattr(info.op, "__doc__", None) or ""))]
    values = {**dict(enumerate(sample.args, 1)), **given, **sample.kwargs}
    for place, value in values.items():
        name = f"argument {place}" if isinstance(place, int) else str(place)
        for text, other in _others(value, kinds.get(place, set()), words, sample).items():
            is_bound = bounded and isinstance(value, float) and isinstance(other, float)
            if not is_bound or 0 <= other <= 1:  # a probability, which not every device checks
                yield name, text, _with(sample, place, other)
    for name in sample.kwargs:
        kept = {key: value for key, value in sample.kwargs.items() if key != name}
        yield name, "left out", with_arguments(sample, sample.input, sample.args, kept)
    if info.is_factory_function and type(sample.input) is int:
        first = tuple(v + _LONG_SCALAR if type(v) is int else v for v in sample.args[:1])
        args = (*first, *sample.args[1:])
        untyped = {key: value for key, value in sample.kwargs.items() if key != "dtype"}
        long = with_arguments(sample, sample.input + _LONG_SCALAR, args, untyped)
        yield "the first numbers", "beyond 2**24", long
    if any(isinstance(value, torch.Tensor) for value in tree_leaves((sample.args, sample.kwargs))):
        args, kwargs = tree_map(_as_number, (tuple(sample.args), sample.kwargs))
        yield "tensors", "as numbers", with_arguments(sample, sample.input, args, kwargs)


def has_other_arguments(info: OpInfo) -> bool:
    """Return whether other arguments of an operator have a defined result.

    The numbers of `grid_sampler` stand for modes, which the CPU does not check. `resize` returns
    memory that nothing has written, as do `empty` and its like. `hfft2` is only defined for
    symmetric inputs, along other axes. `native_batch_norm` on the CPU reads the weight without
    asking whether there is one.
    """
    undefined = ("grid_sampler", "resize", "hfft", "irfft", "native_batch_norm", "empty")
    return not any(name in info.name for name in undefined)


_BOUNDED_VALUES = (17, 33)
"""The least values of integers that an axis bounds: kernels often have a path for up to 16 or 32.
The other values are the length of an axis and the number before it."""

BoundedInteger = tuple[str, int | str, int | None]
"""The name of an integer for messages, its argument, and its place in a list of integers."""

_MOST_LENGTHS = 2
"""Of how many different axes the lengths are tried."""


def bounded_integers(
    sample: SampleInput, accepts: Callable[[SampleInput], bool]
) -> list[BoundedInteger]:
    """Return the integers of a sample that the length of an axis bounds, as `k` of `topk`.

    An integer is bounded if the operator accepts the length of an axis, or the last index, and
    nothing longer than the axes. `accepts` says whether the operator accepts a sample.
    """
    lengths = {n for value in _tensors(sample) for n in value.shape if n > 1}
    if not lengths:
        return []
    ends = sorted(lengths | {n - 1 for n in lengths}, reverse=True)
    return [
        (f"{name} at {part}" if part is not None else name, place, part)
        for name, place, part in _integers(sample)
        if not accepts(_with_integer(sample, place, part, max(lengths) + 1))
        and any(accepts(_with_integer(sample, place, part, end)) for end in ends)
    ]


def with_bounded_integers(
    sample: SampleInput, bounded: Sequence[BoundedInteger]
) -> Iterator[tuple[str, SampleInput]]:
    """Yield a sample with other values of integers that an axis bounds, up to its length."""
    lengths = sorted({n for value in _tensors(sample) for n in value.shape}, reverse=True)
    ends = [end for n in lengths[:_MOST_LENGTHS] for end in (n - 1, n)]
    for name, place, part in bounded:
        for value in dict.fromkeys((*_BOUNDED_VALUES, *ends)):
            if _BOUNDED_VALUES[0] <= value <= max(lengths, default=0):
                yield f"{name} of {value}", _with_integer(sample, place, part, value)


def _tensors(sample: SampleInput) -> list[torch.Tensor]:
    return [value for value in sample_values(sample) if isinstance(value, torch.Tensor)]


def _integers(sample: SampleInput) -> Iterator[BoundedInteger]:
    for place, value in (*enumerate(sample.args, 1), *sample.kwargs.items()):
        name = f"argument {place}" if isinstance(place, int) else place
        if type(value) is int:
            yield name, place, None
        elif isinstance(value, (list, tuple)):
            yield from ((name, place, n) for n, part in enumerate(value) if type(part) is int)


def _with_integer(
    sample: SampleInput, place: int | str, part: int | None, value: int
) -> SampleInput:
    if part is None:
        return _with(sample, place, value)
    old = sample.args[place - 1] if isinstance(place, int) else sample.kwargs[place]
    return _with(sample, place, type(old)((*old[:part], value, *old[part + 1 :])))


def _with(sample: SampleInput, place: int | str, value: object) -> SampleInput:
    args, kwargs = list(sample.args), dict(sample.kwargs)
    if isinstance(place, int):
        args[place - 1] = value
    else:
        kwargs[place] = value
    return with_arguments(sample, sample.input, tuple(args), kwargs)


def defaults(info: OpInfo, sample: SampleInput) -> Mapping[str, Any]:
    """Return the values that an operator uses for arguments that a sample lacks."""
    parameters = _parameters(info.op)[1 + len(sample.args) :]
    found = {p.name: p.default for p in parameters if p.default is not p.empty}
    for arguments in _schemas(info.aten_name or info.name):
        for argument in arguments[1 + len(sample.args) :]:
            if argument.has_default_value():
                found.setdefault(argument.name, argument.default_value)
    return {n: v for n, v in found.items() if n not in _KEPT and n not in sample.kwargs}


@cache
def _kinds(operator: Callable[..., Any], name: str) -> Mapping[int | str, set[str]]:
    """Return the types of an operator's arguments, as text, by position and by name."""
    found: dict[int | str, set[str]] = {}
    for place, parameter in enumerate(_parameters(operator)):
        found[place] = found[parameter.name] = {str(parameter.annotation)}
    for schema in _schemas(name):
        for place, argument in enumerate(schema):
            for key in (place, argument.name):
                found.setdefault(key, set()).add(str(argument.real_type))
    return found


@cache
def _parameters(operator: Callable[..., Any]) -> Sequence[inspect.Parameter]:
    with suppress(TypeError, ValueError):
        return tuple(inspect.signature(operator).parameters.values())
    return ()


@cache
def _schemas(name: str) -> Sequence[Sequence[Any]]:
    """Return the arguments of each overload of an operator: PyTorch's only list of defaults."""
    packet = getattr(torch.ops.aten, name.removeprefix("nn.functional."), None)
    overloads = packet.overloads() if packet else ()
    return [getattr(packet, overload)._schema.arguments for overload in overloads]  # noqa: SLF001


def _others(
    value: object, kinds: AbstractSet[str], words: Sequence[str], sample: SampleInput
) -> Mapping[str, Any]:
    """Return other values of an argument, by what is changed."""
    if isinstance(value, bool):
        return {"negated": not value}
    if isinstance(value, (int, float)):
        others = dict(_other_numbers(value, kinds))
        if isinstance(sample.input, torch.Tensor) and any("Tensor" in kind for kind in kinds):
            others["as a tensor"] = mark_like(torch.tensor(value), sample.input)
        return others
    if isinstance(value, (list, tuple)):
        others = {
            f"{text} at {place}": [*value[:place], other, *value[place + 1 :]]
            for place, part in enumerate(value)
            for text, other in _others(part, frozenset(), (), sample).items()
        }
        others |= {"reversed": value[::-1], "without its last value": value[:-1]}
        others["2 times"] = [*value] * 2
        if value and isinstance(sample.input, torch.Tensor):  # as `pad`, with two numbers each
            others["for all axes"] = [*value] * (2 * sample.input.dim() // len(value))
        return others | {"and one more": [*value, value[-1] + 1]} if _ends_whole(value) else others
    if isinstance(value, torch.Tensor):
        return {"left out": None}
    if value is not None:
        is_type = isinstance(value, torch.dtype) and isinstance(sample.input, torch.Tensor)
        of_input = {"of the type of the input": sample.input.dtype} if is_type else {}
        return {f"of {word}": word for word in words if isinstance(value, str)} | of_input
    others = {
        f"of {other}": other
        for name in _OPTIONAL
        if any(name in kind for kind in kinds)
        for other in _OPTIONAL[name]
    }
    if isinstance(sample.input, torch.Tensor) and any("Tensor" in kind for kind in kinds):
        others |= {f"of {list(s)} numbers": _drawn(s, sample) for s in _shapes(sample)}
    return others


def _ends_whole(value: Sequence[object]) -> bool:
    return bool(value) and type(value[-1]) is int


def _other_numbers(value: float, kinds: AbstractSet[str]) -> Mapping[str, object]:
    if not isinstance(value, int):
        if 0 < value < _EPSILON:
            return {"plus 1": value + 1, "halved": value / 2}
        others = {"of 0": 0.0, "plus 1": value + 1, "halved": value / 2}
        return others | {"with another sign": -value, "of inf": math.inf, "of -inf": -math.inf}
    numbers = {f"of {other}": other for other in (0, 1, -1, -2, FAR, -FAR)}
    numbers |= {"plus 1": value + 1, "times 3": 3 * value, "with another sign": -value}
    if "number" in kinds:
        numbers["of a long number"] = _LONG_SCALAR
    if any("List" in kind for kind in kinds):
        return numbers | {"and one more": (value, value + 1), "after one more": (value - 1, value)}
    return {text: other for text, other in numbers.items() if other != value}


def _shapes(sample: SampleInput) -> set[tuple[int, ...]]:
    """Return shapes that a further tensor may have: that of the input, or one axis."""
    found = [v for v in sample_values(sample) if isinstance(v, torch.Tensor)]
    return {tuple(found[0].shape), *((length,) for value in found for length in value.shape)}


def _drawn(shape: tuple[int, ...], sample: SampleInput) -> torch.Tensor:
    draw = torch.Generator().manual_seed(len(shape))
    return mark_like(torch.rand(shape, generator=draw).to(sample.input.dtype) + 0.5, sample.input)


def _as_number(value: object) -> object:
    is_tensor = isinstance(value, torch.Tensor) and value.numel()
    return value.detach().flatten()[0].item() if is_tensor else value  # type: ignore[attr-defined]
