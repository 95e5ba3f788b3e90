"""Derives samples with other numbers and flags in the arguments beside the tensors."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, product
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from accelerator_validation.suites.sample_placement import with_arguments

_EPSILON = 1e-3
"""Below this, a number keeps a divisor away from 0. Without it, results depend on the algorithm."""

_LONG_SCALAR = 2**24 + 1

_FAR = 23
"""An integer beyond the axes of OpInfo's samples, and no multiple of their lengths."""

_WITH_PROBABILITY = ("dropout", "scaled_dot_product_attention")
"""Parts of the names of operators whose numbers with a fraction are probabilities."""

_KEPT = frozenset({"inplace", "check_errors", "sparse", "sparse_grad"})
"""Flags that leave the numbers of the result alone."""


def other_arguments(info: OpInfo, sample: SampleInput) -> Iterator[tuple[str, SampleInput]]:
    """Yield what is changed, and the sample with another number, or with one or two other flags.

    A number may be one of several in an argument, as in `dilation=(1, 2)`, or the default of an
    argument that the sample lacks. Further samples have numbers in place of further tensors, or
    lack a keyword.
    """
    given = {**defaults(info, sample), **sample.kwargs}
    values, structure = tree_flatten((tuple(sample.args), given))

    def changed(changes: Mapping[int, object]) -> SampleInput:
        others = [changes.get(place, value) for place, value in enumerate(values)]
        args, kwargs = tree_unflatten(others, structure)
        used = {k: v for k, v in kwargs.items() if k in sample.kwargs or v is not given[k]}
        return with_arguments(sample, sample.input, args, used)

    bounded = any(part in info.full_name for part in _WITH_PROBABILITY)
    for place, value in enumerate(values):
        for kind, other in _others(value, bounded=bounded):
            yield f"value {place + 1} of the arguments {kind}", changed({place: other})
    flags = {place: not value for place, value in enumerate(values) if isinstance(value, bool)}
    for pair in combinations(flags, 2):
        yield f"other flags {pair}", changed({place: flags[place] for place in pair})
    for (flag, other), number in product(flags.items(), range(len(values))):
        if type(values[number]) is int:
            changes = {flag: other, number: values[number] + 1}
            yield f"another flag {flag + 1}, and value {number + 1} plus 1", changed(changes)
    for name in sample.kwargs:
        kept = {key: value for key, value in sample.kwargs.items() if key != name}
        yield f"without {name}", with_arguments(sample, sample.input, sample.args, kept)
    args, kwargs = tree_map(_as_number, (tuple(sample.args), sample.kwargs))
    if _takes_dtype(info) and "dtype" not in sample.kwargs:
        typed = {**sample.kwargs, "dtype": torch.int32}
        yield "dtype=torch.int32", with_arguments(sample, sample.input, sample.args, typed)
    if any(isinstance(value, torch.Tensor) for value in values):
        yield "numbers in place of tensors", with_arguments(sample, sample.input, args, kwargs)


def defaults(info: OpInfo, sample: SampleInput) -> Mapping[str, Any]:
    """Return the numbers and flags that an operator uses for arguments that a sample lacks."""
    found: dict[str, Any] = {}
    with suppress(TypeError, ValueError):
        parameters = list(inspect.signature(info.op).parameters.values())
        found = {p.name: p.default for p in parameters[1 + len(sample.args) :]}
    for arguments in _schemas(info):
        for argument in arguments[1 + len(sample.args) :]:
            found.setdefault(argument.name, argument.default_value)
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, (bool, int, float)) and name not in _KEPT
    }


def _schemas(info: OpInfo) -> Iterator[Sequence[Any]]:
    """Yield the arguments of each overload of an operator: PyTorch's only list of defaults."""
    with suppress(AttributeError):
        name = (info.aten_name or info.name).removeprefix("nn.functional.")
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            yield getattr(packet, overload)._schema.arguments  # noqa: SLF001


def with_long_scalars(info: OpInfo, sample: SampleInput) -> SampleInput | None:
    """Return the sample with an integer that float32 cannot hold in place of each scalar.

    None if the sample has no such scalar. Scalars are numbers of the same kind as the tensor's,
    unlike axes and sizes.
    """
    scalars = {
        key
        for schema in _schemas(info)
        for place, argument in enumerate(schema[1:])
        for key in (place, argument.name)
        if str(argument.type) == "number"
    }
    args = [_long_scalar(v) if place in scalars else v for place, v in enumerate(sample.args)]
    kwargs = {n: _long_scalar(v) if n in scalars else v for n, v in sample.kwargs.items()}
    if _LONG_SCALAR not in [v for v in (*args, *kwargs.values()) if type(v) is int]:
        return None
    return with_arguments(sample, sample.input, tuple(args), kwargs)


def _long_scalar(value: object) -> object:
    return _LONG_SCALAR if type(value) is int else value


def _takes_dtype(info: OpInfo) -> bool:
    return any(argument.name == "dtype" for schema in _schemas(info) for argument in schema)


def _others(value: object, *, bounded: bool) -> Iterator[tuple[str, object]]:
    """Yield ways to change a value of an argument, and the changed values.

    If `bounded` is true, numbers with a fraction stay between 0 and 1.
    """
    others: dict[str, Any] = {}
    if isinstance(value, bool):
        others = {"negated": not value}
    elif isinstance(value, int):
        others = {
            "of 0": 0,
            "of 1": 1,
            "of -1": -1,
            "of -2": -2,
            "plus 1": value + 1,
            "times 3": 3 * value,
            "with another sign": -value,
            f"of {_FAR}": _FAR,
            f"of {-_FAR}": -_FAR,
        }
    elif isinstance(value, float) and 0 < value < _EPSILON:
        others = {"plus 1": value + 1, "halved": value / 2}
    elif isinstance(value, float):
        others = {"of 0": 0.0, "plus 1": value + 1, "halved": value / 2}
        others |= {"with another sign": -value, "infinite": math.inf, "minus infinity": -math.inf}
    if bounded and isinstance(value, float):  # a probability, which not every device checks
        others = {kind: other for kind, other in others.items() if 0 <= other <= 1}
    yield from ((kind, other) for kind, other in others.items() if other != value)


def _as_number(value: object) -> object:
    is_tensor = isinstance(value, torch.Tensor) and value.numel()
    return value.detach().flatten()[0].item() if is_tensor else value  # type: ignore[attr-defined]
