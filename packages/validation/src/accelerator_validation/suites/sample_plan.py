"""Chooses an operator's samples so that each distinct feature runs before any feature repeats.

A feature is, for example, the rank of an argument, a keyword, or the way in which shapes broadcast.
The first samples of an OpInfo are often alike: 8 of them miss the highest rank of 103 of 677
operators in PyTorch 2.13.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import TypeVar

import torch
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils._pytree import tree_leaves

SampleFeature = tuple[object, ...]
"""A feature of a sample: its kind, the argument that has it, and its value."""

T = TypeVar("T")

MOST_KNOWN = 2000
"""The maximum number of samples of an operator that are made to choose from. Few operators have
more."""

# Features that matter together with the highest rank: a kernel for four axes may ignore `dim`.
_PAIRED_KINDS = frozenset({"value", "keyword", "empty", "broadcast", "strides"})

_ARGUMENT_KINDS = frozenset({"value", "keyword"})

_MAX_SIZE_CLASS = 8
_LARGE_NUMBER = 10_000


def choose_samples(
    samples: Sequence[SampleInput], number: int, further: int = 0
) -> list[SampleInput]:
    """Return at most `number` of the samples and `further` ones, in the order of choice.

    First come samples that add the most features that the chosen samples lack, then those that add
    pairs of a feature and the highest rank. The rest is spread evenly over all samples. The further
    ones add pairs of features of the arguments that no chosen sample has.
    """
    if len(samples) <= number:
        return list(samples)
    all_features = [sample_features(sample) for sample in samples]
    all_pairs = list(map(_pairs_with_rank, all_features))
    chosen: list[int] = []
    for pool in (all_features, all_pairs):
        chosen += _cover(pool, chosen, number - len(chosen))
    rest = [index for index in range(len(samples)) if index not in set(chosen)]
    room = number - len(chosen)
    chosen += [rest[position * len(rest) // room] for position in range(room)] if room else []
    if further:
        chosen += _cover(list(map(_pairs_of_features, all_features)), chosen, further)
    return [samples[index] for index in chosen]


def sample_features(sample: SampleInput) -> frozenset[SampleFeature]:
    """Return the features of a sample."""
    positional = [sample.input, *sample.args]
    arguments: list[tuple[object, object]] = [*enumerate(positional), *sample.kwargs.items()]
    return frozenset(
        chain(
            [("arguments", len(positional))],
            (("keyword", name) for name in sample.kwargs),
            *(_argument_features(place, value) for place, value in arguments),
            _broadcasting(positional),
        )
    )


def _cover(
    pool: Sequence[frozenset[SampleFeature]], chosen: Sequence[int], number: int
) -> list[int]:
    """Return the indices of at most `number` sets that add the features which `chosen` lack."""
    missing = set(chain.from_iterable(pool)).difference(*(pool[index] for index in chosen))
    added: list[int] = []
    while missing and len(added) < number:
        best = max(range(len(pool)), key=lambda index: (len(pool[index] & missing), -index))
        missing -= pool[best]
        added.append(best)
    return added


def _pairs_with_rank(features: Iterable[SampleFeature]) -> frozenset[SampleFeature]:
    ranks = [feature[2] for feature in features if feature[0] == "rank"]
    highest = max((rank for rank in ranks if isinstance(rank, int)), default=0)
    return frozenset(("with rank", highest, f) for f in features if f[0] in _PAIRED_KINDS)


def _pairs_of_features(features: Iterable[SampleFeature]) -> frozenset[SampleFeature]:
    """Return the pairs of arguments' features, each with the highest rank of the sample."""
    ranks = [feature[2] for feature in features if feature[0] == "rank"]
    paired = sorted((f for f in features if f[0] in _ARGUMENT_KINDS), key=repr)
    return frozenset(("together", max(ranks, default=0), *p) for p in combinations(paired, 2))  # type: ignore[type-var]


def _argument_features(place: object, value: object) -> Iterator[SampleFeature]:
    if not isinstance(value, torch.Tensor):
        yield "value", place, value_class(value)
    for tensor in (leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)):
        yield "rank", place, tensor.dim()
        yield "type", place, dtype_class(tensor.dtype)
        yield "layout", place, str(tensor.layout)
        size_class = min(_MAX_SIZE_CLASS, int(math.log(tensor.numel() + 1, 8)))
        yield "elements", place, size_class
        if tensor.numel() == 0:
            yield "empty", place
        elif 1 in tensor.shape:
            yield "size one", place
        if tensor.layout is torch.strided and tensor.numel() > 1 and not tensor.is_contiguous():
            yield "strides", place, "expanded" if 0 in tensor.stride() else "other"
        if tensor.is_conj() or tensor.is_neg():
            yield "lazy", place
        elif tensor.layout is torch.strided and tensor.numel():
            yield from (("numbers", place, name) for name in _number_classes(tensor.detach()))


def _number_classes(tensor: torch.Tensor) -> Iterator[str]:
    """Yield which classes of numbers a tensor has: a kernel may be wrong for large ones alone."""
    if tensor.dtype is torch.bool or tensor.is_complex() or tensor.is_quantized:
        return
    numbers = tensor.double()
    for name, found in (
        ("nan", numbers.isnan()),
        ("infinite", numbers.isinf()),
        ("zero", numbers == 0),
        ("negative", numbers < 0),
        ("large", (numbers.abs() > _LARGE_NUMBER) & numbers.isfinite()),
    ):
        if found.any():
            yield name


def _broadcasting(positional: Iterable[object]) -> Iterator[SampleFeature]:
    """Yield which of several tensors have axes of length 1 where another one is longer."""
    shapes = [tuple(value.shape) for value in positional if isinstance(value, torch.Tensor)]
    if len(shapes) > 1:
        widest = max(map(len, shapes))
        padded = [(1,) * (widest - len(shape)) + shape for shape in shapes]
        lengths = [max(axis) for axis in zip(*padded, strict=True)]
        grows = tuple(
            any(own == 1 < length for own, length in zip(shape, lengths, strict=True))
            for shape in padded
        )
        yield "broadcast", grows


def dtype_class(dtype: torch.dtype) -> str:
    """Return the class of a data type: `complex`, `float`, `bool` or `int`."""
    if dtype.is_complex:
        return "complex"
    if dtype.is_floating_point:
        return "float"
    return "bool" if dtype is torch.bool else "int"


def value_class(value: object) -> str:
    """Return the class of a value that is no tensor.

    Numbers are classified by sign, size and whether they are odd, sequences by their length and the
    classes of their values. Other values are classes of their own: `"reduction='sum'"`.
    """
    if isinstance(value, torch.Tensor):
        return f"tensor of rank {value.dim()}"
    if isinstance(value, (list, tuple)):
        return f"{len(value)} of {', '.join(sorted(set(map(value_class, value))))}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{type(value).__name__} {_number_class(value)}"
    is_listed = value is None or isinstance(
        value, (bool, str, torch.dtype, torch.layout, torch.memory_format)
    )
    return str(value) if is_listed else type(value).__name__


def _number_class(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    magnitude = abs(value)
    size = "0" if not magnitude else "1" if magnitude == 1 else "<1" if magnitude < 1 else ">1"
    size += ", odd" if magnitude > 1 and magnitude % 2 == 1 else ""
    return f"-{size}" if value < 0 else size
